import { randomInt } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { commands } from '../../src/commands/index.ts';
import type { BotLogLine } from '../../src/playground/demo/bot/bot-process.ts';
import type { ForgedComponent } from '../../src/playground/people/command-user.ts';
import type { World } from '../../src/playground/world/world.ts';
import { DATABASE_FILE } from '../../src/services/storage/database.ts';
import { READS } from '../end-to-end/reading.ts';
import { openScene, type Scene } from '../end-to-end/scene.ts';
import type { Subject } from './subject.ts';

const BROKEN = /Something went wrong|did not respond/;
/** As pino counts. */
const ERROR = 50;

/** Written in place of a value of JSON. */
const SPECIAL: Readonly<Record<string, unknown>> = {
  huge: 'x'.repeat(100_000),
  many: Array.from({ length: 2_000 }, (_, index) => String(index)),
  deep: JSON.parse('['.repeat(500) + ']'.repeat(500)),
};

/** One field is set to a value of JSON or a special one, or left out. */
function distorted(data: unknown, path: string, value: string): unknown {
  const changed = structuredClone(data);
  const steps = path.split('.').filter((step) => step !== '');
  const last = steps.pop();
  if (last === undefined) return valueFrom(value);
  let at: unknown = changed;
  for (const step of steps) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  if (!isObject(at)) return changed;
  if (value === 'missing') delete at[last];
  else
    Object.defineProperty(at, last, { value: valueFrom(value), configurable: true, enumerable: true, writable: true });
  return changed;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function valueFrom(words: string): unknown {
  if (Object.hasOwn(SPECIAL, words)) return SPECIAL[words];
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

/** The word that begins it, and the rest. */
function firstWord(line: string): readonly [string, string] {
  const [word = '', ...rest] = line.split(' ');
  return [word, rest.join(' ')];
}

/** All that happens in a server as far as the bot is told of it, once. */
async function happenings(world: World): Promise<void> {
  const server = world.newServer('Busy');
  const alice = server.member('alice');
  server.newMember('guest');
  server.removeMember('guest');
  server.giveRole('alice', 'Guests', ['Speak']);
  server.giveRole('bot', 'Bots', ['Speak']);
  server.setRolePermissions('Guests', []);
  server.deleteRole('Guests');
  server.setLanguage('de');
  server.newChannel('attic', 'text');
  server.newThread('general', 'aside');
  server.channel('attic').denyBot('ViewChannel', 'SendMessages');
  server.channel('attic').delete();
  alice.joins('General');
  await (await alice.types('/join')).reply();
  alice.deletes(alice.edits(alice.says('Hello'), 'Hello there'));
  world.newServer('Gone').removeBot();
}

const dispatches: Subject = {
  name: 'gateway dispatches',
  kind: 'text',
  mostCpuMs: 2_000,
  runs: 12,
  async open() {
    const scene = await openScene(READS);
    const { world } = scene;
    await happenings(world);
    let ended = false;
    void scene.bot.ended.then(() => {
      ended = true;
    });
    return {
      async check(input) {
        for (const line of input.toString().split('\n')) {
          const [event, change] = firstWord(line);
          const [path, value] = firstWord(change);
          world.faults.distortEvent(event, (last) => distorted(asked(event, last), path, value));
        }
        // Nothing of that is felt next door.
        const alice = world.newServer('Next door').member('alice');
        const { text } = await (await alice.types('/queue')).reply();
        if (ended) throw new Error('The bot has ended');
        if (BROKEN.test(text)) throw new Error(text);
      },
      close: () => scene.close(),
    };
  },
};

/** With an id of its own: what was asked for before is not heard again. */
const asked = (event: string, last: unknown): unknown =>
  ['MESSAGE_CREATE', 'INTERACTION_CREATE'].includes(event)
    ? { ...(last as object), id: `9${randomInt(2 ** 47)}` }
    : last;

type Kind = NonNullable<ForgedComponent['input']>['kind'];
const KINDS: readonly Kind[] = ['button', 'string', 'user', 'role', 'mentionable', 'channel', 'modal'];

/** https://discord.com/developers/docs/components/reference#component-object-component-types */
const COMPONENT_TYPES: ReadonlySet<unknown> = new Set([2, 3, 5, 6, 7, 8]);

/** What is kept about others than alice. */
function othersData({ dataDir }: Scene, aliceId: string): string {
  const database = new DatabaseSync(`${dataDir}/${DATABASE_FILE}`, { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT namespace, key, value FROM entries
         WHERE namespace IN ('server-settings', 'server-dictionary', 'member-settings', 'opt-outs')
         ORDER BY namespace, key`,
      )
      .all();
    return JSON.stringify(rows.filter(({ key }) => !String(key).includes(aliceId)));
  } finally {
    database.close();
  }
}

/** It was no interaction of Discord's form, and is ignored. */
const isRefusal = ({ err }: BotLogLine) =>
  String(Reflect.get(Object(err), 'message')).startsWith('A payload of the gateway could not be handled');

/** Lines: the custom id, the kind, then `value …`, `field NAME …` and `set PATH VALUE` of what goes over the wire. */
const interactions: Subject = {
  name: 'forged interactions',
  kind: 'text',
  pieces: [
    ...commands.flatMap(({ controls = [] }) => controls.map(({ name }) => `${name}:`)),
    ...KINDS.map((kind) => `\n${kind}`),
  ],
  mostCpuMs: 1_000,
  runs: 25,
  async open() {
    let errors: BotLogLine[] = [];
    let refused = Promise.withResolvers<'refused'>();
    const scene = await openScene({
      onLogLine(line) {
        if (isRefusal(line)) refused.resolve('refused');
        else if ((line.level ?? 0) >= ERROR) errors.push(line);
      },
    });
    const { world } = scene;
    const [alice, bob, olga] = [world.member('alice'), world.member('bob'), world.member('olga')];
    await (await olga.types('/settings mute member:bob')).reply();
    await (await bob.types('/voice set speed:1.5')).reply();
    const gone = world.newChannel('Gone', 'voice');
    const names: Readonly<Record<string, string>> = {
      $bob: bob.id,
      $server: world.guildId,
      $elsewhere: world.newServer('Elsewhere').guildId,
      $channel: world.channel('General').id,
      $gone: gone.id,
    };
    gone.delete();
    const before = othersData(scene, alice.id);
    if (!before.includes('speed') || !before.includes(bob.id)) throw new Error('There is nothing to change');
    return {
      async check(input) {
        const words = input.toString().replace(/\$[a-z]+/g, (name) => names[name] ?? name);
        const [id = '', kind = '', ...lines] = words.replaceAll('\u0000', '').split('\n');
        const told = lines.map(firstWord);
        const of = (what: string) => told.filter(([word]) => word === what).map(([, rest]) => rest);
        const values = of('value');
        const fields = Object.fromEntries(of('field').map(firstWord));
        const changes = of('set').map(firstWord);
        errors = [];
        refused = Promise.withResolvers();
        let data: unknown;
        const used = KINDS.find((known) => known === kind) ?? 'button';
        const sent = await alice.forges({
          customId: [...id].slice(0, 100).join('') || 'x',
          input: used === 'modal' ? { kind: used, fields } : { kind: used, values },
          distort: (made) => {
            data = changes.reduce<unknown>((changed, [path, value]) => distorted(changed, path, value), made);
            return data;
          },
        });
        // discord.js overlooks components of types that it does not know.
        if (kind !== 'modal' && !COMPONENT_TYPES.has(Reflect.get(Object(data), 'component_type'))) return;
        const answered = await Promise.race([sent.answer(), refused.promise]);
        if (typeof answered === 'object' && 'reply' in answered && BROKEN.test(answered.reply.text))
          throw new Error(answered.reply.text);
        if (errors.length > 0) throw new Error(`Logged as an error: ${JSON.stringify(errors)}`);
        if (othersData(scene, alice.id) !== before) throw new Error("Others' data is changed");
      },
      close: () => scene.close(),
    };
  },
};

export const HOSTILE_DISCORD: readonly Subject[] = [dispatches, interactions];
