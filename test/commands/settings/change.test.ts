import { describe, expect, it } from 'vitest';
import { changeLines, takesUnnamed } from '../../../src/commands/settings/change.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import type { OwnerLimits } from '../../../src/services/spending/spending-types.ts';
import { render } from '../../../src/texts/catalogue.ts';

const NO_LIMITS: OwnerLimits = {
  total: Number.POSITIVE_INFINITY,
  perServer: Number.POSITIVE_INFINITY,
  perMember: Number.POSITIVE_INFINITY,
};

const said = (after: Parameters<typeof changeLines>[1], limits: OwnerLimits) =>
  changeLines({}, after, { limits, localVoice: false }).map((line) => render(line, 'en-US'));

const changed = (before: ServerSettings, after: ServerSettings) =>
  changeLines(before, after, { limits: NO_LIMITS, localVoice: false }).map((line) => render(line, 'en-US'));

describe('what is said of changed settings', () => {
  it('says of a limit on credits that it does not apply to a free voice', () => {
    const lines = said({ creditsPerMember: 20 }, NO_LIMITS);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('limits on credits apply once the bot’s owner sets a limit');
  });

  it('says from which length texts are asked about, where admins chose none', () => {
    const taken = (localVoice: boolean) =>
      changeLines({ confirmAboveCharacters: 500 }, {}, { limits: NO_LIMITS, localVoice }).map((line) =>
        render(line, 'en-US'),
      );
    expect(taken(true)).toEqual([expect.stringContaining('never, as the voice is free')]);
    expect(taken(false)).toEqual([expect.stringContaining('default (1,000)')]);
  });

  it('says how much a style adds to every text, where speech costs', () => {
    const told = (localVoice: boolean, after: ServerSettings) =>
      changeLines({ style: 'softly' }, after, { limits: NO_LIMITS, localVoice })
        .slice(1)
        .map((line) => render(line));
    expect(told(false, { style: 'x'.repeat(199) })).toEqual([
      '-# With most voices that support one, a style is billed as well: it adds 203 characters to every text, and again for every further part of a long one and at every change of voice, as in a script.',
    ]);
    expect(told(true, { style: 'x'.repeat(199) })).toEqual([]);
    expect(told(false, {})).toEqual([]);
    expect(told(false, { style: 'softly', speed: 1.2 })).toEqual([]);
  });

  it('names the blocked words that there were', () => {
    const before = { blockedWords: ['heck', 'darn'] };
    const lines = changeLines(before, { blockedWords: ['heck'] }, { limits: NO_LIMITS, localVoice: false });
    expect(lines.map((line) => render(line, 'en-US'))).toEqual(['Blocked words: now 1 word. Before: heck, darn.']);
  });

  it('takes a list in another order for the same, and a voice with its fields in another order', () => {
    const voice = { voiceId: '1', name: 'aria', model: 'gpro' };
    const before = { allowedChannels: ['1', '2'], languageVoices: [{ ...voice, language: 'de' }] };
    const after = { allowedChannels: ['2', '1'], languageVoices: [{ language: 'de', ...voice }] };
    expect(changed(before, after)).toEqual(['Nothing changed.']);
  });

  it('says what differs where the words before and after are the same', () => {
    const voice = (voiceId: string) => ({ voiceId, name: 'aria', model: 'gpro' });
    expect(changed({ defaultVoice: voice('1') }, { defaultVoice: voice('2') })).toEqual([
      'Default voice: now aria (gpro). It’s another voice of the same name.',
    ]);
    const style = 'Like a storyteller, '.repeat(6);
    expect(changed({ style: `${style}loudly` }, { style: `${style}softly` })[0]).toMatch(
      /…\. What changed comes after what is shown here\.$/,
    );
    const ids = Array.from({ length: 12 }, (_, index) => String(index));
    const [line] = changed({ allowedChannels: ids }, { allowedChannels: [...ids.slice(0, 11), '99'] });
    expect(line).toMatch(/and 2 more\. What changed is not among those named here\.$/);
  });

  it('does not name all of a long list: what was taken from one is unnamed', () => {
    const ids = Array.from({ length: 12 }, (_, index) => String(index));
    expect(takesUnnamed({ before: { mutedMembers: ids }, after: { mutedMembers: ids.slice(1) } })).toBe(true);
    expect(takesUnnamed({ before: { mutedMembers: ids }, after: { mutedMembers: [...ids, '99'] } })).toBe(false);
    expect(takesUnnamed({ before: { mutedMembers: ids.slice(3) }, after: {} })).toBe(false);
  });

  it('says nothing of it where credits are limited, and of other settings', () => {
    expect(said({ creditsPerMember: 20 }, { ...NO_LIMITS, perMember: 100 })).toHaveLength(1);
    expect(said({ maxCharacters: 200 }, NO_LIMITS)).toHaveLength(1);
  });
});
