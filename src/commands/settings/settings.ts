import { MANAGE_SERVER, mayManage } from '../../discord/channels/permissions.ts';
import { UserError } from '../../errors/user-errors.ts';
import { SETTINGS_LIMITS, type ServerSettings } from '../../services/servers/server-settings.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { type CommandCall, type Reply, serverCommand, type Work } from '../framework/command.ts';
import { booleanOption, bySubcommand, channelOption, subcommand, userOption } from '../framework/options.ts';
import { changeSettings, settingLabel } from './change.ts';
import { panelControls, panelOf } from './panel-controls.ts';
import { TEXT_AND_VOICE_CHANNELS } from './panel-pages.ts';
import { transferControls } from './transfer.ts';

type ServerCall = CommandCall<'cached'>;

export const settings = serverCommand({
  name: 'settings',
  description: 'settings.description',
  options: [
    subcommand('panel', 'settings.panel.description'),
    subcommand('read', 'settings.read.description', [
      channelOption('channel', 'settings.read.channel', {
        channelTypes: TEXT_AND_VOICE_CHANNELS.speaking,
        required: true,
      }),
      booleanOption('on', 'settings.read.on'),
    ]),
    subcommand('mute', 'settings.mute.description', [
      userOption('member', 'settings.mute.member', { required: true }),
      booleanOption('on', 'settings.mute.on'),
    ]),
  ],
  defaultMemberPermissions: MANAGE_SERVER,
  replyTo: 'caller',
  deferred: true,
  controls: [...panelControls, ...transferControls],

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
});

const SUBCOMMANDS: Readonly<Record<'panel' | 'read' | 'mute', (call: ServerCall) => Work>> = {
  panel:
    ({ interaction, services }) =>
    () =>
      panelOf(services, interaction.guildId, 'voices'),
  read(call) {
    const { id } = call.interaction.options.getChannel('channel', true);
    const on = call.interaction.options.getBoolean('on') ?? true;
    const { reading } = call.services;
    const problem = on ? reading.problem(call.interaction.guildId, [id]) : undefined;
    const note = reading.isOn ? [] : [text('settings.reading-off')];
    if (problem) note.push(problem);
    return () => change(call, (before) => withListed(before, 'autoReadChannels', id, on), note);
  },
  mute(call) {
    const { options, client } = call.interaction;
    const { id } = options.getUser('member', true);
    const on = options.getBoolean('on') ?? true;
    if (on && id === client.user.id) throw new UserError(text('settings.mute.itself'));
    const note = on && mayManage(options.getMember('member')?.permissions) ? [text('settings.managers-exempt')] : [];
    return () => change(call, (before) => withListed(before, 'mutedMembers', id, on), note);
  },
};

async function change(
  { interaction, services }: ServerCall,
  edit: (before: ServerSettings) => ServerSettings,
  note: readonly Text[],
): Promise<Reply> {
  const { lines } = await changeSettings(services, interaction.guildId, edit);
  return { lines: [...lines, ...note] };
}

function withListed(
  before: ServerSettings,
  name: 'autoReadChannels' | 'mutedMembers',
  id: string,
  isIn: boolean,
): ServerSettings {
  const others = (before[name] ?? []).filter((other) => other !== id);
  const limit = SETTINGS_LIMITS[name === 'autoReadChannels' ? 'channels' : 'members'];
  if (isIn && others.length >= limit)
    throw new UserError(text('settings.too-many', { setting: settingLabel(name), limit }));
  return { ...before, [name]: isIn ? [...others, id] : others };
}
