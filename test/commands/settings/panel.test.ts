import { ChannelType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { drawSettings, PAGES, type PageName } from '../../../src/commands/settings/panel-pages.ts';
import { drawPanel, type PanelPart } from '../../../src/discord/replies/layout.ts';
import { SETTING_NAMES, type ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalog.ts';
import { panelOf, voiceOf } from '../scene.ts';

const ARIA = voiceOf('aria', { id: 'a', model: 'ext' });

function wordsOf(page: PageName, settings: ServerSettings): string {
  const lines = drawSettings(page, panelOf(settings)).flatMap(linesIn);
  const words = lines.map((line) => render(line));
  return words.join('\n').replaceAll('**', '');
}

const namesSetting = (values: unknown, name: string) => JSON.stringify(values ?? '').includes(`"setting.${name}"`);

const linesIn = (part: PanelPart) => (part.kind === 'text' ? part.lines : part.kind === 'section' ? [part.line] : []);

describe('the settings panel', () => {
  const ember = { voiceId: 'e', name: 'ember', model: 'gpro' };
  const languageVoices = [{ ...ember, language: 'ja' }];
  const forbidden = { forcedVoice: ember, defaultVoice: ember, languageVoices, allowedModels: ['x'] };
  const marked = 'ember (gpro), which isn’t allowed and so isn’t used';
  const forced = 'only an allowed voice picked in /say can replace it';
  const exempt = 'Members with the Manage Server permission can still use /say.';
  it.each<[PageName, ServerSettings, string, hidden?: string]>([
    ['presence', {}, 'Leave when alone, after: default (1 minute)'],
    ['presence', { aloneSeconds: 0 }, 'Leave when alone, after: at once'],
    ['presence', { idleSeconds: 3_690 }, 'Leave when silent, after: 1 hour, 1 minute, and 30 seconds'],
    ['limits', { cooldownSeconds: 1 }, 'Cooldown between texts: 1 second'],
    ['limits', {}, 'Cooldown between texts: default (off)'],
    ['limits', {}, 'Credits per day, server: 100,000 (the bot owner’s limit)'],
    ['limits', {}, 'Credits per day, each member: 20,000 (the bot owner’s limit)'],
    ['limits', { creditsPerServer: 500 }, 'Credits per day, server: 500\n'],
    ['limits', { creditsPerServer: 500_000 }, 'server: 500,000 (but the bot owner’s limit is 100,000)'],
    ['people', { mutedMembers: ['7'] }, exempt],
    ['people', {}, 'Muted', exempt],
    ['voices', { forcedVoice: ember }, forced],
    ['voices', forbidden, `Force one voice: ${marked}`, forced],
    ['voices', forbidden, `Default voice: ${marked}`],
    ['voices', forbidden, `Voices by language: Japanese: ${marked}`],
    ['words', {}, 'When a text is rejected'],
    ['words', { blockedWordsMode: 'refuse' }, 'When a text is rejected'],
    ['words', { blockedWordsMode: 'bleep' }, 'Instead of a blocked word', 'When a text is rejected'],
  ])('says on the page %s, for %j: %s', (page, settings, shown, hidden) => {
    const words = wordsOf(page, settings);
    expect(words).toContain(shown);
    if (hidden) expect(words).not.toContain(hidden);
  });

  it('shows no credits where nothing is limited', () => {
    const ownerLimits = { total: Infinity, perServer: Infinity, perMember: Infinity };
    const drawn = (limits: typeof ownerLimits) =>
      JSON.stringify(drawSettings('limits', panelOf({ creditsPerServer: 5 }, { spending: { ownerLimits: limits } })));
    expect(drawn(ownerLimits)).not.toMatch(/credits/i);
    expect(drawn({ ...ownerLimits, perServer: 100 })).toMatch(/credits/i);
    const context = panelOf({}, { localVoice: true });
    const free = JSON.stringify(drawPanel(drawSettings('limits', context), 'en-US', new Map()));
    expect(free).toContain('Characters per day, server');
    expect(free).not.toContain('Credits');
  });

  it('offers faster speech only if the default voice takes a speed, or to switch it off', () => {
    const voices = [
      { ...ARIA, model: 'gpro' },
      { ...ARIA, id: 'b' },
    ];
    const defaultVoice = { voiceId: 'b', name: 'aria', model: 'ext' };
    const drawn = (settings: ServerSettings) =>
      JSON.stringify(drawSettings('limits', { ...panelOf(settings), voices }));
    expect(drawn({})).not.toContain('setting.catchUp');
    expect(drawn({ defaultVoice })).toContain('setting.catchUp');
    expect(drawn({ catchUp: true })).toContain('setting.catchUp');
  });

  it('shows each setting once, with its button beside it or its menu below, within Discord’s limits', () => {
    const context = { ...panelOf(), voices: [ARIA] };
    const drawn = PAGES.map((page) => drawSettings(page, context));
    const parts = drawn.flat();
    for (const name of SETTING_NAMES) {
      const at = parts.findIndex((part) =>
        linesIn(part).some(({ key, values }) => key === 'settings.value' && namesSetting(values, name)),
      );
      const [part, next] = [parts[at], parts[at + 1]];
      const control = part?.kind === 'section' ? part.button : next?.kind === 'row' ? next.row : undefined;
      expect(JSON.stringify(control), name).toContain(`${name}`);
      expect(parts.flatMap(linesIn).filter(({ values }) => namesSetting(values, name))).toHaveLength(1);
    }
    for (const page of drawn) {
      const all = JSON.stringify(drawPanel(page, 'de', new Map()));
      expect(all.match(/"type":/g)?.length).toBeLessThanOrEqual(40);
      const ids = all.match(/"custom_id":"[^"]+"/g) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('warns where no voice is allowed', () => {
    const context = { ...panelOf({ allowedModels: ['gpro'] }), voices: [ARIA] };
    const warned = PAGES.filter((name) => JSON.stringify(drawSettings(name, context)).includes('refused.none-allowed'));
    expect(warned).toEqual(['voices', 'data']);
  });

  it('offers forums wherever people write, and not where the bot itself is to post', () => {
    const offered = (page: PageName) =>
      drawSettings(page, panelOf()).flatMap((part) =>
        part.kind === 'row' && 'kind' in part.row && part.row.kind === 'channel-select' ? part.row.channelTypes : [],
      );
    const forums = [ChannelType.GuildForum, ChannelType.GuildMedia];
    expect(offered('people')).toEqual(expect.arrayContaining(forums));
    expect(offered('reading')).toEqual(expect.arrayContaining(forums));
    expect(offered('presence')).toEqual([
      ...[ChannelType.GuildVoice, ChannelType.GuildStageVoice],
      ...[ChannelType.GuildText, ChannelType.GuildAnnouncement],
    ]);
  });
});
