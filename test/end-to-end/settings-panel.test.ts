import { beforeEach, describe, expect, it } from 'vitest';
import type { Person, SentInteraction, VisibleMessage } from '../../src/playground/world/world.ts';
import { newGuest, replyTo, settingsPage, shareScene, textOf } from './scene.ts';

const shared = await shareScene();
let olga: Person;
beforeEach(() => {
  olga = shared.server.member('olga');
});

const page = (name: string) => settingsPage(olga, name);

/** Fills in a form of the panel; the panel as it is then. */
async function fill(panel: VisibleMessage, button: string, fields: Record<string, string>): Promise<SentInteraction> {
  const modal = await (await olga.presses(panel, button)).modal();
  return olga.submits(modal, fields);
}

async function importing(name: string, content: string): Promise<SentInteraction> {
  const modal = await (await olga.presses(await page('data'), 'Import')).modal();
  const upload = { name, contentType: 'application/json', bytes: new TextEncoder().encode(content) };
  return olga.submits(modal, { file: upload });
}

describe('/settings panel', () => {
  it('confirms each change with before and after, and it survives a restart', async () => {
    const changed = await fill(await page('limits'), 'settings-form:texts queueLimit', {
      maxCharacters: '200',
      queueLimit: '5',
    });
    const text = await textOf(changed, /now 200/);
    expect(text).toContain('Maximum text length, in characters: now 200 (was default (4,000)).');
    expect(text).toContain('Queue limit: now 5 (was default (20)).');
    await shared.scene.restartBot();
    expect((await page('limits')).text.replaceAll('**', '')).toContain('Maximum text length, in characters: 200');
    const alice = newGuest(shared.server, 'General');
    expect(await textOf(alice.types(`/say text:${'word '.repeat(60)}`))).toContain('limit is 200');
    const sure = await replyTo(olga.presses(await page('data'), 'Reset'));
    await textOf(olga.presses(sure, 'Reset all settings'), /All settings were reset/);
  });

  it('exports everything as a file; a file with a mistake changes nothing, and what another one replaces comes back', async () => {
    const filled = await fill(await page('limits'), 'settings-form:credits creditsPerMember', {
      creditsPerMember: '50',
    });
    await textOf(filled, /now 50/);
    const exported = await (await olga.presses(await page('data'), 'Export')).reply();
    const kept = new TextDecoder().decode(exported.files[0]?.bytes);
    expect(JSON.parse(kept)).toEqual({ format: 'crier-settings-1', settings: { creditsPerMember: 50 } });

    const wrong = await importing('a.json', kept.replace('50', '"fifty"'));
    expect(await textOf(wrong)).toContain('settings.creditsPerMember');
    const replacing = await importing('a.json', kept.replace('50', '70'));
    expect(await textOf(replacing, /Credits per day/)).toContain('Credits per day, each member: now 70 (was 50).');
    const replaced = await replacing.reply({ until: /use Import to restore them/ });
    expect(replaced.files.map(({ name }) => name)).toEqual(['crier-settings-before.json']);
    expect(new TextDecoder().decode(replaced.files[0]?.bytes)).toBe(kept);
  });

  it('leaves out the channels and roles of another server, which nobody here could use, and says so', async () => {
    const general = shared.server.channel('General').id;
    const elsewhere = '123456789012345678';
    const settings = {
      allowedRoles: [elsewhere],
      allowedChannels: [general, elsewhere],
      moderationChannel: elsewhere,
      creditsPerMember: 50,
    };
    const sent = await importing('a.json', JSON.stringify({ format: 'crier-settings-1', settings }));
    const said = await textOf(sent, /Left out/);
    expect(said).toContain(
      'Left out: channels and roles that this server doesn’t have, in Allowed roles, Allowed channels, and Moderation log.',
    );
    expect(said).toContain('Allowed channels: now #General (was all).');
    expect((await page('people')).text.replaceAll('**', '')).toContain('Allowed roles: all');
  });
});
