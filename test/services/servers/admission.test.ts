import { describe, expect, it } from 'vitest';
import { admissionRefusal, placeRefusal, type Requester, rulesOf } from '../../../src/services/servers/admission.ts';
import { EVERYBODY, type ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalog.ts';

function refusal(settings: ServerSettings, speaker: Partial<Requester> = {}): string | undefined {
  const someone = {
    userId: '1',
    roleIds: ['10'],
    isAdmin: false,
    textChannelId: '20',
    voiceChannelId: '30',
    ...speaker,
  };
  const refused = admissionRefusal(rulesOf(settings), someone);
  return refused && render(refused);
}

describe('who may have something spoken', () => {
  it('is nobody who is muted here', () => {
    expect(refusal({ mutedMembers: ['1'] })).toContain('muted');
    expect([refusal({}), refusal({ mutedMembers: ['2'] })]).toEqual([undefined, undefined]);
    expect(refusal({ mutedMembers: [EVERYBODY] })).toContain('muted');
  });

  it('is nobody with a blocked role, and only those with an allowed one', () => {
    expect(refusal({ blockedRoles: ['10'] })).toContain('<@&10>');
    expect(refusal({ blockedRoles: [EVERYBODY] }, { roleIds: [] })).toBeDefined();
    expect(refusal({ allowedRoles: ['11', '12'] })).toContain('<@&11> or <@&12>');
    expect(refusal({ allowedRoles: ['11', '10'] })).toBeUndefined();
    expect(refusal({ allowedRoles: ['10'], blockedRoles: ['10'] })).toContain('<@&10>');
  });

  it('is whoever writes in an allowed text channel or is in an allowed voice channel', () => {
    expect(refusal({ allowedChannels: ['21'] })).toContain('<#21>');
    expect(refusal({ allowedChannels: ['20'] })).toBeUndefined();
    expect(refusal({ allowedChannels: ['30'] })).toBeUndefined();
    expect(refusal({ allowedChannels: ['30'] }, { voiceChannelId: undefined })).toContain('<#30>');
  });

  it('is always somebody who could change these rules', () => {
    const everything = { mutedMembers: ['1'], blockedRoles: ['10'], allowedRoles: ['11'], allowedChannels: ['21'] };
    expect(refusal(everything, { isAdmin: true })).toBeUndefined();
  });
});

describe('which voice channels may be spoken in', () => {
  /** 30 and 31 are voice channels, 20 and 21 text channels; 99 is gone. */
  const refusedIn = (voiceChannelId: string, allowedChannels?: string[], isAdmin = false) => {
    const rules = rulesOf(allowedChannels ? { allowedChannels } : {});
    const refused = placeRefusal(rules, { isAdmin, voiceChannelId, isVoiceChannel: (id) => ['30', '31'].includes(id) });
    return refused && render(refused);
  };

  it('are all where admins have listed none, and for those who could change the list', () => {
    expect(refusedIn('31')).toBeUndefined();
    expect(refusedIn('31', ['20', '99'])).toBeUndefined();
    expect(refusedIn('31', ['30'], true)).toBeUndefined();
  });

  it('are the listed ones only, wherever it was asked for', () => {
    expect(refusedIn('30', ['20', '30'])).toBeUndefined();
    expect(refusedIn('31', ['20', '30'])).toBe('In this server, the bot doesn’t speak in <#31>, only in <#30>.');
    expect(refusedIn('31', ['30'])).toContain('<#31>');
  });
});
