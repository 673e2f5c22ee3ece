import * as z from 'zod';

/** Of OpenAI's own server, which lists none: https://platform.openai.com/docs/guides/text-to-speech */
export const OPENAI_NAMES: readonly string[] = [
  ...['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'],
];

/** A voice that a server says it has. */
export interface ServerVoice {
  readonly name: string;
  /** BCP 47; undefined where the server does not say. */
  readonly languages?: readonly string[];
}

/** A voice by its name alone, or with an id that is sent and a language, as the servers of the field answer. */
const listedVoice = z.union([
  z
    .string()
    .min(1)
    .transform((name): ServerVoice => ({ name })),
  z
    .object({
      id: z.string().min(1).optional(),
      voice_id: z.string().min(1).optional(),
      name: z.string().min(1).optional(),
      language: z.string().optional().catch(undefined),
      languages: z.array(z.string()).optional().catch(undefined),
    })
    .transform(({ id, voice_id, name, language, languages = language === undefined ? undefined : [language] }) => ({
      name: id ?? voice_id ?? name ?? '',
      ...(languages && { languages }),
    })),
]);
const voiceList = z.array(listedVoice);
const voiceLists = z.union([
  voiceList,
  z.object({ voices: voiceList }).transform(({ voices }) => voices),
  z.object({ data: voiceList }).transform(({ data }) => data),
]);

/** Undefined for an answer of a form that is not known. OpenAI's list of models has one of these forms too. */
export function listedVoices(text: string): ServerVoice[] | undefined {
  try {
    const read = voiceLists.safeParse(JSON.parse(text));
    return read.success ? read.data.filter(({ name }) => name !== '') : undefined;
  } catch {
    return undefined;
  }
}
