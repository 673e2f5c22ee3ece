import { expect, it } from 'vitest';
import { createFollower, speechFacts, speechLines } from '../../../src/commands/say/replies.ts';
import type { Content } from '../../../src/discord/replies/layout.ts';
import type { Delivery, QueueItem } from '../../../src/services/queue/queue-item.ts';
import type { ChunkProgress } from '../../../src/services/synthesis/parts.ts';
import type { SpeechFacts } from '../../../src/services/synthesis/synthesis.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render } from '../../../src/texts/catalog.ts';
import { deliveryOf, factsOf, itemOf, requestedOf } from '../../services/queue/items.ts';
import { servicesOf, submissionOf } from '../scene.ts';

const ARIA = { id: 'a', name: 'aria', model: 'gpro' } as Voice;
const NOVA = { id: 'n', name: 'Nova', model: 'kokoro' } as Voice;
const [OLGA, BOB] = ['olga', 'bob'];
const PAID = factsOf({ creditsUsed: 5, creditsRemaining: 95, cached: false });
const HEARD = deliveryOf(PAID, { channelId: '2' });
const servicesWith = (localVoice: boolean) =>
  servicesOf({
    localVoice,
    showsBalance: false,
    owners: { isOwner: async (userId: string) => userId === OLGA },
    voices: { known: () => ({ voices: [ARIA, NOVA] }) },
  });

/** What the reply to a text shows meanwhile, and in the end. */
async function followed(
  item: QueueItem,
  {
    part = undefined as ChunkProgress | undefined,
    localVoice = false,
    replayed = undefined as string | undefined,
    delivery = {} as Partial<Delivery>,
    creditsBefore = 0,
  } = {},
) {
  const shown: Content[] = [];
  const follower = createFollower(servicesWith(localVoice), { replayed, needsInvitation: false, creditsBefore });
  if (part) follower.onProgress(part);
  const submission = submissionOf(item, Promise.resolve({ ...HEARD, ...delivery }));
  const { lines, rows } = await follower.follow(submission, (content) => void shown.push(content));
  return { shown: shown[0], lines, rows, end: lines.map((line) => render(line)) };
}

it('what is said about money is said of paid voices alone, and of nothing that is at hand', async () => {
  const requested = requestedOf('Hello', { billed: [{ model: 'm', characters: 900 }] });
  const item = itemOf({ requested, state: 'speaking' });
  const told = async (isBilled: boolean, localVoice: boolean) => {
    const { shown } = await followed(item, { part: { kind: 'speaking', part: 1, parts: 3, isBilled }, localVoice });
    return shown?.lines.map((line) => render(line));
  };
  const speaking = expect.stringContaining('Speaking part 1 of 3 in <#2>');
  expect(await told(true, false)).toEqual([speaking, '-# 900 characters billed, in 3 parts.']);
  expect(await told(false, false)).toEqual([speaking]);
  expect(await told(true, true)).toEqual([speaking]);
  const logged = (isFree: boolean) => speechFacts({ ...PAID, mayBeMore: true }, servicesWith(isFree));
  expect(logged(false)).toMatchObject({ creditsUsed: 5, creditsMayBeSpent: true });
  expect(logged(true)).not.toHaveProperty('creditsUsed');
});

it('shows the balance in replies that only an owner sees, or in all if the owner says so; else what is left of one’s limit', async () => {
  const limited = { ...PAID, ownLeft: { left: 91, limit: 100 } };
  const told = async (userId: string, services = servicesWith(false), facts: SpeechFacts = limited, privately = true) =>
    (await speechLines(facts, { userId, privately }, services)).map((line) => render(line));
  expect(await told(OLGA)).toEqual(['-# 5 credits used, 95 credits left.']);
  expect(await told(OLGA, servicesWith(false), PAID, false)).toEqual(['-# 5 credits used.']);
  expect(await told(BOB)).toEqual(['-# 5 credits used, 91 credits left of your 100 for today.']);
  expect(await told(BOB, servicesWith(false), PAID)).toEqual(['-# 5 credits used.']);
  const shown = servicesWith(false);
  expect(await told(BOB, { ...shown, bot: { ...shown.bot, showsBalance: true } })).toEqual(await told(OLGA));
  expect(await told(BOB, shown, { ...PAID, mayBeMore: true })).toHaveLength(2);
  expect(await told(OLGA, servicesWith(true))).toEqual([]);
});

it('what was paid before the start is among what a text cost, and a replay costs nothing', async () => {
  const { lines } = await followed(itemOf(), { creditsBefore: 15, delivery: { speech: factsOf() } });
  expect(lines.at(-1)).toMatchObject({ key: 'spent.used', values: { used: 15 } });
  const again = await followed(itemOf({ state: 'speaking' }), { replayed: '…' });
  expect(again.shown?.lines.map((line) => render(line))).toEqual(['-# Replaying in <#2>: “…”']);
  expect(again.end).toEqual(['Replayed in <#2>: “…”', '-# Cached, no credits used.']);
});

it('what ended while its bill is awaited says so, without buttons', async () => {
  const at = async (state: QueueItem['state'], kind: ChunkProgress['kind']) =>
    (await followed(itemOf({ state }), { part: { kind, part: 1, parts: 1 } })).shown;
  expect(await at('skipped', 'ending')).toMatchObject({ lines: [{ key: 'say.ending' }] });
  expect(await at('skipped', 'synthesizing')).toBeUndefined();
  expect((await at('synthesizing', 'synthesizing'))?.rows).toHaveLength(1);
});

it('a text that was stopped before all of its sound was there is not offered again', async () => {
  expect((await followed(itemOf(), { delivery: { outcome: 'stopped' } })).rows?.flat()).toHaveLength(2);
  expect((await followed(itemOf(), { delivery: { outcome: 'stopped', isNotKept: true } })).rows).toEqual([]);
});

it('names the voice that spoke in the place of one whose engine is down', async () => {
  const item = itemOf({ requested: requestedOf('Hello', { voices: [NOVA] }) });
  const told = async (...heard: readonly string[]) => {
    const speakers = heard.length > 0 ? heard.map((id) => ({ asked: 'n', heard: id })) : undefined;
    return (await followed(item, { localVoice: true, delivery: { speech: { ...PAID, speakers } } })).end;
  };
  // It went down on the way.
  expect((await told('n', 'a'))[0]).toBe('Spoken in <#2> with Nova (kokoro) and aria (gpro): “Hello”');
  // It was back by then.
  expect(await told()).toEqual(['Spoken in <#2> with Nova (kokoro): “Hello”']);
});
