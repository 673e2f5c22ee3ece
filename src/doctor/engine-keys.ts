import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { addressKind } from '../network/address.ts';
import type { EngineSettings } from '../speech/engines/engines-file.ts';
import { bitsOfOthers } from './access-bits.ts';
import { attention, type Finding } from './finding.ts';

/* Who can read the keys of engines besides their servers. */

/** Where others can read the keys in that file. */
export function checkEnginesFile(path: string, keys: readonly string[]): Finding[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (keys.length === 0 || stats === undefined || (stats.mode & bitsOfOthers(stats)) === 0) return [];
  return [
    attention('SPEECH_ENGINES', {
      found: 'readable by others',
      means: 'Other accounts on this machine can read the keys in it.',
      remedy: `chmod 600 ${path}`,
    }),
  ];
}

/** Of this machine, of a container on it or in its cluster, or in a VPN that encrypts what goes to it. */
const NAME_NEARBY = /^[^.]+$|\.(?:localhost|docker\.internal|containers\.internal|svc|svc\.cluster\.local|ts\.net)$/i;
/** What reaches this machine by any of its addresses. */
const UNSPECIFIED = ['0.0.0.0', '::'];

function isElsewhere({ hostname }: URL): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(bare) === 0) return !NAME_NEARBY.test(bare);
  return addressKind(bare) !== 'loopback' && !UNSPECIFIED.includes(bare);
}

function plainHttp(address: string, key: string | undefined, words: Pick<Finding, 'subject' | 'found'>): Finding[] {
  const url = new URL(address);
  if (key === undefined || url.protocol !== 'http:' || !isElsewhere(url)) return [];
  return [
    attention(words.subject, {
      found: `${words.found}is sent over plain http to ${url.host}`,
      means: 'Everyone on the way there can read it, and the texts.',
      remedy: 'Write https:// where that server speaks it. In a network that nobody else uses, it may stay.',
    }),
  ];
}

/** The only server's key. */
export const checkKeyOnItsWay = (engine: Readonly<Record<string, string>>): Finding[] =>
  engine.SPEECH_ENGINE_URL === undefined
    ? []
    : plainHttp(engine.SPEECH_ENGINE_URL, engine.SPEECH_ENGINE_KEY, { subject: 'SPEECH_ENGINE_KEY', found: '' });

/** Those in the file of engines. */
export const checkKeysOnTheirWay = (engines: readonly EngineSettings[]): Finding[] =>
  engines.flatMap((one) =>
    one.kind === 'openai'
      ? plainHttp(one.url, one.key, { subject: 'SPEECH_ENGINES', found: `the key of engine ${one.name} ` })
      : [],
  );
