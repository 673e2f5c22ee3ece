import { expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { sceneOfFile, textOf } from './scene.ts';

const { world } = await sceneOfFile();

/** A member with Discord in that language. */
function reader(name: string, locale: string): Person {
  const person = world.newMember(name);
  person.setsLanguage(locale);
  return person;
}

it('the list of commands is in the viewer’s language, what is typed has the same names, and the Apps menu its own', () => {
  const seen = (locale: string) => {
    const commands = reader(`looker-${locale}`, locale).seesCommands();
    return {
      names: commands.filter(({ kind }) => kind === 'slash').map(({ name }) => name),
      apps: commands.filter(({ kind }) => kind === 'message').map(({ name }) => name),
      description: commands.find(({ name }) => name === 'say')?.description,
    };
  };
  const english = seen('en-US');
  expect(seen('de')).toEqual({
    names: english.names,
    apps: ['Vorlesen', 'Als Audio speichern'],
    description: 'Text in deinem Sprachkanal vorlesen oder als Audiodatei oder Sprachnachricht senden',
  });
  for (const locale of ['es-ES', 'es-419']) expect(seen(locale).description).toMatch(/^Leer un texto en tu canal/);
  // No catalog: English.
  for (const locale of ['en-GB', 'fr']) expect(seen(locale)).toEqual(english);
});

it.each([
  ['de', 'Vorgelesen in #General', 'Du bist in keinem Sprachkanal.'],
  ['es-419', 'Leído en #General', 'No estás en ningún canal de voz.'],
  ['fr', 'Spoken in #General', 'You’re not in a voice channel.'],
])('replies follow the language of the requester: %s', async (locale, spoken, refused) => {
  const reading = reader(`reading-${locale}`, locale);
  expect(await textOf(reading.types('/say text:Hello there!'))).toContain(refused);
  reading.joins('General');
  expect(await textOf(reading.types('/say text:Hello there!'))).toContain(spoken);
  reading.leaves();
});

it('announcements follow the language that the server has in Discord, until its admins choose one, whatever members speak', async () => {
  const [spanish, olga] = [reader('paz', 'es-ES'), world.member('olga')];
  const speaksAndIsPutOut = async () => {
    spanish.joins('General');
    const { length } = world.channel('general').messages;
    await textOf(spanish.types(`/say text:Hola número ${length}`), /Leído en/);
    olga.disconnects('bot');
    // Behind the reply stands what the bot tells everyone.
    const told = () => world.channel('general').messages[length + 1];
    await world.until(() => told()?.author === 'Crier', { what: 'an announcement' });
    return told()?.text;
  };
  world.setLanguage('de');
  expect(await speaksAndIsPutOut()).toBe(
    '#General verlassen: Jemand hat den Bot entfernt. Mit /say oder /join kommt er zurück.',
  );

  const panel = await (await olga.types('/settings panel')).reply();
  const choose = async (value: string) => {
    const input = { kind: 'string', values: [value] } as const;
    return textOf(olga.forges({ customId: 'settings-pick:language', input, message: panel }));
  };
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
