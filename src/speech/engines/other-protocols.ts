import type { RefinementCtx } from 'zod';

/** Hosts of well-known services whose protocols are neither the speech interface nor OpenAI's. */
const SERVICES: readonly (readonly [hosts: RegExp, service: string])[] = [
  [/(^|\.)elevenlabs\.io$/, 'ElevenLabs'],
  [/\.(speech|cognitive)\.microsoft\.com$/, 'Azure Speech'],
  [/(^|-)texttospeech\.googleapis\.com$/, 'Google Cloud Text-to-Speech'],
  [/^polly(-fips)?\.[\w-]+\.amazonaws\.com(\.cn)?$/, 'Amazon Polly'],
];

/** Why no speech can come from an address, as the rest of a sentence about it; undefined where it can. */
export function otherProtocol(address: URL | string): string | undefined {
  const { hostname = '' } = URL.parse(String(address)) ?? {};
  const [, service] = SERVICES.find(([hosts]) => hosts.test(hostname)) ?? [];
  if (service === undefined) return undefined;
  return `is an address of ${service}, which speaks a protocol of its own that Crier does not (docs/guides/paid-service.md lists services that work)`;
}

/** Refuses such an address: without this, the bot would start, and every text would fail with a 404. */
export function refuseOtherProtocols(address: URL | string, context: RefinementCtx): void {
  const issue = otherProtocol(address);
  if (issue !== undefined) context.addIssue(issue);
}
