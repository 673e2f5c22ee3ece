import { voiceName } from '../../discord/replies/quote.ts';
import { keptVoices, voicesUnder } from '../../services/voices/preferences.ts';
import type { TagSyntax } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { INSTANT_TAGS, WRAPPING_TAGS } from '../../speech/interface/tags.ts';
import { knownOptions, tagsOf } from '../../speech/request.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { type ChatCommand, type CommandCall, type Control, EVERYWHERE, type Reply } from '../framework/command.ts';
import { leavesOutTags } from '../say/wording.ts';
import { modelNames } from '../voice-options/speech-options.ts';
import { chooseFreshly, completeVoice, currentPreferences, voiceOption } from '../voice-options/voice-option.ts';
import { listen, listenButton } from './sample.ts';
import { VOICE_ID_CHARACTERS } from './voice.ts';
import { SAMPLE_NEEDS, voiceOf } from './voice-card.ts';

const SAMPLES = {
  'square-open': text('tags.sample-square'),
  'angle-open': text('tags.sample-angle'),
  closed: text('tags.sample-closed'),
} satisfies Record<Exclude<TagSyntax, 'none'>, Text>;

const listenControl: Control = {
  name: 'tags-listen',
  needs: { contexts: EVERYWHERE, ...SAMPLE_NEEDS },
  replyTo: 'caller',
  deferred: true,
  begin: (call) => async () => {
    const voice = await voiceOf(call.services, call.argument);
    const tags = tagsOf(voice);
    return listen(call, voice, tags === 'none' ? text('voices.sample') : SAMPLES[tags]);
  },
};

export const tags: ChatCommand = {
  name: 'tags',
  description: 'tags.description',
  options: [voiceOption('tags.voice')],
  needs: { contexts: EVERYWHERE },
  replyTo: 'caller',
  deferred: true,
  complete: completeVoice,
  controls: [listenControl],

  begin(call) {
    const asked = call.interaction.options.getString('voice') ?? undefined;
    return async () => {
      const preferences = await currentPreferences(call);
      const orders = { asked, kept: keptVoices(preferences), rules: preferences.server };
      const { voice, list } = await chooseFreshly(call.services, orders);
      return listOf(call, voice, voicesUnder(preferences.server, list));
    };
  },
};

async function listOf(call: CommandCall, voice: Voice, usable: readonly Voice[]): Promise<Reply> {
  const syntax = tagsOf(voice);
  const name = voiceName(voice);
  if (syntax === 'none') {
    const models = modelNames(usable.filter((other) => knownOptions(other).includes('tags')));
    const common = { voice: name, tags: leavesOutTags(voice) ? 'left' : 'read' };
    const isElsewhere = models.length > 0;
    return {
      lines: [
        isElsewhere ? text('tags.elsewhere', { ...common, models: { list: models } }) : text('tags.none', common),
      ],
    };
  }
  const sample = { control: 'tags-listen', argument: voice.id, voice, sample: SAMPLES[syntax] };
  const rows = voice.id.length > VOICE_ID_CHARACTERS ? [] : [[await listenButton(call, sample)]];
  return { lines: [...explanation(syntax, name), text('tags.hint')], rows };
}

function explanation(syntax: Exclude<TagSyntax, 'none'>, voice: Text | string): Text[] {
  if (syntax === 'square-open') return [text('tags.square', { voice })];
  if (syntax === 'angle-open') return [text('tags.angle', { voice })];
  return [
    text('tags.closed', { voice }),
    text('tags.instant', { tags: INSTANT_TAGS.map((name) => `\`[${name}]\``).join(' ') }),
    text('tags.wrapping', { tags: WRAPPING_TAGS.map((name) => `\`<${name}>…</${name}>\``).join(' ') }),
  ];
}
