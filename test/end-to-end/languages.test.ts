import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person, SentInteraction, World } from '../../src/playground/world/world.ts';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 30_000 };

let scene: Scene;
let world: World;
beforeAll(async () => {
  scene = await openScene();
  world = scene.world;
});
afterAll(() => scene.close());

const textOf = async (sent: SentInteraction) => (await sent.reply(ANSWERED)).text;

/** A member with Discord in that language. */
function reader(name: string, locale: string, permissions: Parameters<World['newMember']>[1] = {}): Person {
  const person = world.newMember(name, permissions);
  person.setsLanguage(locale);
  return person;
}

/** The bot's messages in #general after an event. */
async function announced(happens: () => void): Promise<string> {
  const before = world.channel('general').messages.length;
  happens();
  const written = () => world.channel('general').messages.slice(before);
  await world.until(() => written().some(({ author }) => author === 'Crier'), { what: 'an announcement', ...ANSWERED });
  return written()[0]?.text ?? '';
}

describe('the list of commands', () => {
  it('is described in the viewer’s language, what is typed under the same names, the Apps menu under its own', () => {
    const seen = (locale: string) => {
      const commands = reader(`looker-${locale}`, locale).seesCommands();
      const say = commands.find(({ name }) => name === 'say');
      const as = say?.options.find(({ name }) => name === 'as');
      return {
        names: commands.filter(({ kind }) => kind === 'slash').map(({ name }) => name),
        apps: commands.filter(({ kind }) => kind === 'message').map(({ name }) => name),
        description: say?.description,
        option: as?.description,
        choices: as?.choices,
      };
    };
    const english = seen('en-US');
    expect(english.description).toBe(
      'Read text aloud in your voice channel, or get it as an audio file or voice message',
    );
    expect(seen('de')).toEqual({
      names: english.names,
      apps: ['Vorlesen', 'Als Audio speichern'],
      description: 'Text in deinem Sprachkanal vorlesen oder als Audiodatei oder Sprachnachricht senden',
      option: 'Wohin das Vorgelesene geht, oder ein Skript mit mehreren Stimmen; Standard: Sprachkanal',
      choices: ['im Sprachkanal', 'Audiodatei', 'Sprachnachricht', 'ein Skript: mehrere Stimmen'],
    });
    for (const locale of ['es-ES', 'es-419']) {
      expect(seen(locale)).toMatchObject({
        names: english.names,
        description: 'Leer un texto en tu canal de voz o recibirlo como archivo de audio o mensaje de voz',
      });
    }
    // No catalog: English.
    for (const locale of ['en-GB', 'fr']) expect(seen(locale)).toEqual(english);
  });

  it('is not sent to Discord again where it is the same, translations included', async () => {
    const puts = () => world.restCalls.filter(({ method, path }) => method === 'PUT' && path.endsWith('/commands'));
    expect(puts()).toHaveLength(1);
    await scene.restartBot();
    expect(puts()).toHaveLength(1);
  });
});

describe('replies follow the language of the requester', () => {
  const readers = [
    ['de', 'Vorgelesen in #General', 'Stimmen zur Auswahl:', 'Servereinstellungen', 'Du bist in keinem Sprachkanal.'],
    ['es-ES', 'Leído en #General', 'voces para elegir:', 'Ajustes del servidor', 'No estás en ningún canal de voz.'],
    ['es-419', 'Leído en #General', 'voces para elegir:', 'Ajustes del servidor', 'No estás en ningún canal de voz.'],
    ['fr', 'Spoken in #General', 'voices to choose from:', 'Server settings', 'You’re not in a voice channel.'],
  ] as const;

  it.each(readers)('%s', async (locale, spoken, voices, settings, refused) => {
    const reading = reader(`admin-${locale}`, locale, { permissions: ['ManageGuild'] });
    expect(await textOf(await reading.types('/say text:Hello there!'))).toContain(refused);
    reading.joins('General');
    const reply = await (await reading.types('/say text:Hello there!')).reply(ANSWERED);
    expect(reply.text).toContain(spoken);
    expect(await textOf(await reading.types('/voices'))).toContain(voices);
    expect(await textOf(await reading.types('/settings panel'))).toContain(settings);
    reading.leaves();
  });
});

describe('announcements follow the language of the server', () => {
  it('the one it has in Discord, until its admins choose one, whatever members speak', async () => {
    const [spanish, olga] = [reader('paz', 'es-ES'), world.member('olga')];
    const speaksAndIsPutOut = async () => {
      spanish.joins('General');
      await (await spanish.types(`/say text:Hola número ${world.channel('general').messages.length}`)).reply({
        ...ANSWERED,
        until: /Leído en/,
      });
      return announced(() => olga.disconnects('bot'));
    };
    world.setLanguage('de');
    expect(await speaksAndIsPutOut()).toBe(
      '#General verlassen: Jemand hat den Bot entfernt. Mit /say oder /join kommt er zurück.',
    );

    const panel = await (await olga.types('/settings panel')).reply(ANSWERED);
    const choose = async (value: string) =>
      textOf(
        await olga.forges({ customId: 'settings-choice:language', kind: 'string', values: [value], message: panel }),
      );
    expect(await choose('es-ES')).toContain(
      'Language of announcements and emoji: now Español (was the server’s language in Discord).',
    );
    world.setLanguage('en-US');
    expect(await speaksAndIsPutOut()).toBe(
      'El bot salió de #General: alguien lo desconectó. Usa /say o /join para que vuelva.',
    );

    await choose('*');
    expect(await speaksAndIsPutOut()).toContain('Left #General: someone disconnected the bot.');
  });
});
