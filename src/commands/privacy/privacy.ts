import { managesServer } from '../../discord/channels/permissions.ts';
import { button } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { KeptData } from '../../services/privacy/stored-data.ts';
import { type Text, type TextList, text } from '../../texts/catalog.ts';
import { cancelButton, cancelControl } from '../framework/buttons.ts';
import type { ChatCommand, Services, SpeakCall } from '../framework/command.ts';
import { booleanOption } from '../framework/options.ts';

interface Subject {
  /** The data that /forget deletes: 'me' keeps the member's opt-out, and 'me-and-wishes' deletes the opt-out, too. */
  readonly what: 'me' | 'me-and-wishes' | 'server';
  readonly id: string;
  /** True if the bot's owner deletes a member's data at the member's request. */
  readonly byOwner: boolean;
}

export const forget: ChatCommand = {
  name: 'forget',
  options: [booleanOption('server', 'forget.server')],
  cooldown: { uses: 3, perMs: 15_000 },
  deferred: true,
  controls: [
    {
      name: 'forget',
      replyTo: 'message',
      deferred: true,
      begin(call) {
        const { argument: what } = call;
        if (what !== 'me' && what !== 'me-and-wishes' && what !== 'server') throw new UserError(text('refused.over'));
        const subject = subjectOf(call, what);
        return () => forgetAll(call.services, subject);
      },
    },
    cancelControl('forget'),
  ],

  begin(call) {
    const what = call.interaction.options.getBoolean('server') ? 'server' : 'me';
    const subject = subjectOf(call, what);
    return () => askToForget(call.services, subject);
  },
};

function subjectOf({ interaction }: SpeakCall, what: Subject['what']): Subject {
  if (what !== 'server') return { what, id: interaction.user.id, byOwner: false };
  if (!interaction.inCachedGuild()) throw new UserError(text('refused.server-only'));
  if (!managesServer(interaction)) throw new UserError(text('refused.not-permitted'));
  return { what, id: interaction.guildId, byOwner: false };
}

async function forgettableData(kept: readonly KeptData[], { what, id }: Subject) {
  const all = await Promise.all(
    kept.map(async ({ member, server }) => {
      const keeping = what === 'server' ? server : member;
      const there = await keeping?.describe(id);
      if (!keeping || !there) return [];
      const isSpeechOrder = 'isSpeechOrder' in keeping && keeping.isSpeechOrder === true;
      const forgetting = (await keeping.forgetting?.(id)) ?? { atOnce: there, later: undefined, isDone: false };
      return [{ ...forgetting, what: there, isSpeechOrder, forget: () => keeping.forget(id) }];
    }),
  );
  return all.flat();
}

const line = (item: Text | TextList) => text('lines.item', { item });

const about = ({ id, byOwner }: Subject) => (byOwner ? [text('owner.forget.about', { user: `<@${id}>`, id })] : []);

export async function askToForget({ privacy }: Services, subject: Subject) {
  const { what, id, byOwner } = subject;
  const all = await forgettableData(privacy.kept, subject);
  if (all.length === 0) {
    const nothing = byOwner ? 'owner.forget.nothing' : what === 'server' ? 'forget.nothing-here' : 'forget.nothing';
    return { lines: [...about(subject), text(nothing)] };
  }
  const asking = byOwner ? 'owner-forget' : 'forget';
  const yes = (label: Text, chosen: Subject['what']) =>
    button(asking, label, byOwner ? `${chosen} ${id}` : chosen, 'danger');
  const orders = all.filter(({ isSpeechOrder }) => isSpeechOrder);
  const rest = all.filter(({ isSpeechOrder, isDone }) => !isSpeechOrder && !isDone);
  const atOnce = [
    ...rest.flatMap((one) => (one.atOnce ? [line(one.atOnce)] : [])),
    ...orders.map((one) => text('forget.wish', { what: one.what })),
  ];
  const also = rest.length > 0 ? 'yes' : 'no';
  const buttons = [
    ...(rest.length > 0 ? [yes(text('forget.yes'), what)] : []),
    ...(orders.length > 0 ? [yes(text('forget.yes-opt-out', { also }), 'me-and-wishes')] : []),
  ];
  return {
    lines: [
      ...about(subject),
      ...(atOnce.length > 0 ? [text('forget.ask', { whose: what }), ...atOnce] : []),
      ...(atOnce.length === 0 && rest.length > 0 ? [text('forget.nothing-at-once')] : []),
      ...all.flatMap(({ later, isDone }) => (later ? [isDone ? later.onceForgotten : later.ifForgotten] : [])),
      text('privacy.replies'),
    ],
    rows: buttons.length > 0 ? [[...buttons, cancelButton(asking)]] : [],
  };
}

export async function forgetAll({ privacy, log }: Services, subject: Subject) {
  const all = (await forgettableData(privacy.kept, subject)).filter(
    ({ isSpeechOrder }) => !isSpeechOrder || subject.what === 'me-and-wishes',
  );
  // The answer to a second press is a separate message, because the first answer still lists the deleted data.
  if (all.every(({ isDone }) => isDone)) throw new UserError(text('forget.nothing-left'));
  const deleted: Text[] = [];
  const later: Text[] = [];
  const left: Text[] = [];
  for (const one of all) {
    try {
      if (!one.isDone) await one.forget();
      if (one.atOnce) deleted.push(line(one.atOnce));
      if (one.later) later.push(one.later.onceForgotten);
    } catch (error) {
      log.warn({ err: error }, '/forget could not delete some data: the reply says which');
      left.push(line(one.what));
    }
  }
  try {
    privacy.eraseDeleted();
  } catch (error) {
    log.warn({ err: error }, 'Deleted entries leave traces on disk: wiping within a day');
  }
  return {
    lines: [
      ...about(subject),
      ...(deleted.length > 0 ? [text('forget.deleted'), ...deleted] : []),
      ...later,
      ...(left.length > 0 ? [text('forget.left'), ...left] : []),
      text('privacy.replies'),
    ],
    facts: { deleted: deleted.length, left: left.length },
  };
}

export const privacy: ChatCommand = {
  name: 'privacy',
  cooldown: { uses: 3, perMs: 15_000 },
  deferred: true,

  begin({ interaction, services }) {
    const { id } = interaction.user;
    const isAdmin = managesServer(interaction);
    return async () => {
      const entries = await Promise.all(services.privacy.kept.map((entry) => entryLines(entry, id, services.log)));
      return {
        lines: [],
        panel: [
          { kind: 'text', lines: [text('privacy.title')] },
          { kind: 'separator' },
          { kind: 'text', lines: entries.flat() },
          { kind: 'separator' },
          {
            kind: 'text',
            lines: [
              text('privacy.log'),
              text(services.bot.isSpeechMadeHere ? 'privacy.made-here' : 'privacy.sent'),
              text('privacy.replies'),
              text('privacy.forget'),
              ...(isAdmin ? [text('privacy.forget-server')] : []),
            ],
          },
        ],
      };
    };
  },
};

async function entryLines({ holds, member }: KeptData, userId: string, log: Services['log']): Promise<Text[]> {
  if (!member) return [line(holds)];
  try {
    const what = await member.describe(userId);
    return [line(holds), text('privacy.yours', { what: what ?? 'nothing' })];
  } catch (error) {
    log.warn({ err: error }, 'Could not list stored data: /privacy shows it as unknown');
    return [line(holds), text('privacy.yours', { what: 'unknown' })];
  }
}

export const optOut: ChatCommand = {
  name: 'opt-out',
  options: [booleanOption('back', 'opt-out.back')],
  deferred: true,

  async begin({ interaction, services }) {
    const isOut = interaction.options.getBoolean('back') !== true;
    await services.privacy.optOuts.set(interaction.user.id, isOut);
    return async () => ({ lines: [text(isOut ? 'opt-out.done' : 'opt-out.taken-back')] });
  },
};
