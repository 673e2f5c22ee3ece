import { describe, expect, it } from 'vitest';
import { editOfForm, settingsForm } from '../../src/commands/settings/forms.ts';
import type { Modal } from '../../src/discord/layout.ts';
import { UserError } from '../../src/errors.ts';
import { type ServerSettings, serverSettingsSchema } from '../../src/services/settings.ts';
import { render } from '../../src/texts/catalogue.ts';

const services = { voices: {} as never };

function opened(name: string, settings: ServerSettings): Modal {
  const form = settingsForm(name, settings);
  if (!form) throw new Error('There is no such form');
  return form;
}

/** As Discord sends it: what was not touched comes back as it was shown. */
async function submitted(form: Modal, typed: Readonly<Record<string, string>>) {
  const shown = form.fields.map((field) => [field.name, 'value' in field ? (field.value ?? '') : '']);
  return editOfForm(form.argument ?? '', { ...Object.fromEntries(shown), ...typed }, services);
}

describe('a form of the settings', () => {
  it('sets what was filled in, and leaves defaults that were only shown to the bot', async () => {
    const edit = await submitted(opened('texts', {}), { cooldownSeconds: '20' });
    expect(edit({})).toEqual({ cooldownSeconds: 20 });
  });

  it('takes back what was emptied', async () => {
    const settings = { cooldownSeconds: 20, queueLimit: 5 };
    const edit = await submitted(opened('texts', settings), { cooldownSeconds: '' });
    expect(edit(settings)).toEqual({ queueLimit: 5 });
  });

  it('keeps what another admin has set meanwhile in a field that was not touched', async () => {
    const edit = await submitted(opened('texts', {}), { cooldownSeconds: '20' });
    expect(edit({ maxCharacters: 100 })).toEqual({ maxCharacters: 100, cooldownSeconds: 20 });
  });

  it('does not write over what another admin has set meanwhile in the same field', async () => {
    const edit = await submitted(opened('blockedWords', { blockedWords: ['one'] }), { words: 'one\ntwo' });
    const clash = () => edit({ blockedWords: ['one', 'three'] });
    expect(clash).toThrow(UserError);
    try {
      clash();
    } catch (error) {
      expect(render((error as UserError).text)).toContain('Blocked words: somebody else has changed that meanwhile');
    }
  });

  it('takes blocked words as long as they can be kept, and says how long that is', async () => {
    const [longest, longer] = ['x'.repeat(50), 'x'.repeat(51)];
    const form = opened('blockedWords', {});
    expect((await submitted(form, { words: longest }))({})).toEqual({ blockedWords: [longest] });
    expect(serverSettingsSchema.safeParse({ blockedWords: [longest] }).success).toBe(true);
    const refused = await submitted(form, { words: longer }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect(render((refused as UserError).text)).toBe(
      'A blocked word has at most 50 characters, and that one has 51. Shorten it.',
    );
    expect(serverSettingsSchema.safeParse({ blockedWords: [longer] }).success).toBe(false);
  });

  it('keeps the words that are too many to be shown', async () => {
    const blockedWords = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(40)}`);
    const form = opened('blockedWords', { blockedWords });
    const [field] = form.fields;
    const shown = field && 'value' in field ? (field.value ?? '') : '';
    expect(shown.length).toBeLessThanOrEqual(4_000);
    const after = (await submitted(form, { words: `new\n${shown}` }))({ blockedWords });
    expect(new Set(after.blockedWords)).toEqual(new Set(['new', ...blockedWords]));
  });

  it('fits into a custom id with all its fields', () => {
    for (const name of ['defaultVoice', 'manner', 'allowedVoices', 'texts', 'credits', 'times', 'blockedWords']) {
      expect(`settings-fill:${opened(name, {}).argument}`.length).toBeLessThanOrEqual(100);
    }
  });
});
