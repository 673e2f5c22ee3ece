import {
  type APIApplicationCommandOption,
  type AutocompleteInteraction,
  type BaseInteraction,
  type CommandInteractionOption,
  type Interaction,
  MessageFlags,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import { type Answer, AnswerLostError, createAnswer } from '../../discord/replies/answer.ts';
import { DISCORD_LIMITS, drawContent, drawModal, type Modal, parseCustomId } from '../../discord/replies/layout.ts';
import { DeliveryError, refusal, UserError } from '../../errors/user-errors.ts';
import type { Metrics } from '../../services/monitoring/metrics.ts';
import { createCooldowns } from '../../services/servers/admission.ts';
import { createAges, DeadlineError, withDeadline } from '../../services/time/timers.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { countedIn, guardRefusal, mustBeAdmitted } from './checks.ts';
import {
  type Action,
  type Command,
  type ControlInteraction,
  OfferedError,
  type Services,
  type SpeakCall,
  type Work,
} from './command.ts';
import { type Conclusion, conclude, failureOf } from './final-reply.ts';
import { formAgainControls, formAgainRows } from './forms.ts';

type Asking = SpeakCall['interaction'];

interface DispatcherOptions {
  readonly commands: readonly Command[];
  readonly services: Services;
  /** The servers in ALLOWED_SERVERS; undefined allows all. */
  readonly allowedServers: readonly string[] | undefined;
  /**
   * True if the bot sent the first answer twice. Discord then rejects the second one, although the first one arrived.
   */
  readonly repeated: (interactionId: string) => boolean;
  readonly onAnswered: Metrics['commandAnswered'];
}

/** A slow database must not use up the 3 s in which Discord expects a first answer. */
const CHECK_BUDGET_MS = 500;
/** How long the bot waits for the cost of canceled speech. If the deferral was rejected, the first answer tells that cost. */
const BILL_BUDGET_MS = 1_000;
/**
 * Discord accepts a first answer for 3 s, but delivers interactions late after a lost connection. The limit is half a
 * second longer, because clocks differ.
 */
const LATE_MS = 3_500;
/** Discord ignores suggestions after 3 s. */
const COMPLETION_BUDGET_MS = 2_000;

interface Called {
  readonly command: Command;
  readonly action: Action<SpeakCall> & { readonly name: string; readonly form?: unknown };
}

/** How long a member may press an admin command's buttons: as long as Discord lets the bot edit the private reply. */
const GRANT_MS = 15 * 60_000;
const MAX_GRANTS = 1_000;

export function createDispatcher({ commands, services, allowedServers, repeated, onAnswered }: DispatcherOptions) {
  const { log } = services;
  const byName = new Map(commands.map((command) => [command.name, command]));
  const controls = new Map(
    commands.flatMap((command) =>
      (command.controls ?? [])
        .flatMap((control) => [control, ...formAgainControls(control)])
        .map((control): [string, Called] => [control.name, { command, action: control as Called['action'] }]),
    ),
  );
  /**
   * Members who recently used an admin command, and so may press the buttons of its reply: only Discord knows the roles
   * to which admins gave a command. Other members need the command's default permission, because presses can be forged.
   */
  const granted = new LRUCache<string, true>({
    max: MAX_GRANTS,
    ttl: GRANT_MS,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });
  const grantOf = ({ guildId, user }: Asking, { name }: Command) => `${name} ${guildId} ${user.id}`;
  const cooldowns = createCooldowns();
  const underWay = new Set<Promise<void>>();
  const ages = createAges(() => performance.now());

  function find(interaction: Asking): Called | undefined {
    if (!interaction.isCommand()) return controls.get(parseCustomId(interaction.customId).control);
    const command = byName.get(interaction.commandName);
    if (!command || interaction.isChatInputCommand() !== (command.kind !== 'message')) return undefined;
    // Discord delivers a command only from members who are allowed to use it.
    if (command.defaultMemberPermissions !== undefined) granted.set(grantOf(interaction, command), true);
    return { command, action: command as Called['action'] };
  }

  /** Discord checks who may use a command, but not who may press the buttons of its reply. */
  function isPermitted(interaction: Asking, command: Command): boolean {
    const { defaultMemberPermissions: needed } = command;
    if (interaction.isCommand() || needed === undefined) return true;
    return interaction.memberPermissions?.has(needed) || granted.has(grantOf(interaction, command));
  }

  async function isFor({ onlyFor }: Command, { user, locale }: Asking | AutocompleteInteraction): Promise<boolean> {
    return onlyFor !== 'owner' || services.bot.owners.isOwner(user.id, locale);
  }

  /** In servers without the bot, only members who installed it themselves can use it, if DIRECT_USE is on. */
  const isAllowedIn = (interaction: BaseInteraction): boolean =>
    !allowedServers || !interaction.inCachedGuild() || allowedServers.includes(interaction.guildId);

  /** Throws a UserError if the member is not permitted or has to wait. The returned function undoes the counted use. */
  function guard({ command, action }: Called, interaction: Asking): () => void {
    const { name, onlyFor, cooldown } = action;
    const { guildId: id } = interaction;
    if (!isAllowedIn(interaction)) throw new UserError(text('refused.server-not-allowed', { id: id ?? '' }));
    if (!isPermitted(interaction, command)) throw new UserError(text('refused.not-given', { command: command.name }));
    // Discord reports the context Guild even for a server without the bot.
    const isAnywheres = command.onlyFor !== 'owner' && onlyFor !== 'servers';
    if (isAnywheres && !interaction.inCachedGuild() && !services.bot.directUse) {
      throw new UserError(text('refused.direct-off'));
    }
    const refused =
      guardRefusal(interaction, action, services.speakers) ??
      (interaction.isChatInputCommand() && command.kind !== 'message'
        ? overlongOption(interaction.options.data, command.options)
        : undefined);
    if (refused) throw new UserError(refused);
    if (!cooldown) return () => undefined;
    const key = `${name} ${countedIn(interaction)} ${interaction.user.id}`;
    const waitMs = cooldowns.take(key, cooldown);
    if (waitMs <= 0) return () => cooldowns.giveBack(key);
    const seconds = Math.ceil(waitMs / 1000);
    throw new UserError(text('refused.cooldown', { seconds }));
  }

  async function answerAsked(interaction: Asking): Promise<void> {
    const startedAtMs = performance.now();
    const { guildId, channelId, locale, user } = interaction;
    const isCommand = interaction.isCommand();
    const name = isCommand
      ? { command: fullName(interaction) }
      : { control: parseCustomId(interaction.customId).control };
    const itsLog = log.child({ ...name, guildId, channelId, userId: user.id, interactionId: interaction.id });
    const answer = createAnswer(interaction as Parameters<typeof createAnswer>[0], itsLog, repeated);
    const answered = Promise.withResolvers<void>();
    const called = find(interaction);
    const outcome = fitting(interaction, await outcomeOf(interaction, called, answer, answered.promise));
    const { severity, facts } = outcome;
    // Names in forged presses must not become labels of the metric.
    onAnswered({ command: called?.command.name ?? 'unknown', outcome: String(facts.outcome) });
    itsLog[severity](
      { ...facts, ms: Math.round(performance.now() - startedAtMs) },
      isCommand ? 'Handled a command' : 'Handled a button, select or form',
    );
    await conclude(answer, outcome, services.bot, { locale, log: itsLog });
    answered.resolve();
    itsLog.debug('Finished answering an interaction');
  }

  /** A panel cannot replace a plain message. If the pressed button is in one, the panel becomes a new, private message. */
  function fitting(interaction: Asking, outcome: Conclusion): Conclusion {
    if (!outcome.reply?.panel || outcome.visibility !== 'message' || interaction.isCommand()) return outcome;
    if (interaction.message?.flags.has(MessageFlags.IsComponentsV2)) return outcome;
    return { ...outcome, visibility: 'caller' };
  }

  async function outcomeOf(
    interaction: Asking,
    called: Called | undefined,
    answer: Answer,
    answered: Promise<void>,
  ): Promise<Conclusion> {
    const lost = new AbortController();
    const acknowledged = Promise.withResolvers<void>();
    const given = interaction.isCommand() ? undefined : givenTo(interaction);
    const call = {
      interaction,
      services,
      askedAtMs: performance.now(),
      signal: lost.signal,
      acknowledged: acknowledged.promise,
      answered,
      ...given,
    } as SpeakCall;
    let giveBackUse = () => {};
    try {
      // Discord accepts no first answer after 3 s, so a late interaction is dropped: the member would not learn of spent
      // credits or a skipped text.
      if (ages.ageMs(interaction.createdTimestamp) > LATE_MS) {
        throw new AnswerLostError('Discord handed it over too late for an answer');
      }
      if (!called) throw new UserError(text(interaction.isCommand() ? 'refused.unknown-command' : 'refused.over'));
      // In direct messages, Discord lists the owner's commands for everyone, so other callers must be refused here.
      if (!(await isFor(called.command, interaction)))
        throw new UserError(text(interaction.isCommand() ? 'refused.owner-only' : 'refused.over'));
      giveBackUse = guard(called, interaction);
      const { action } = called;
      const begun = await begin(action, call, { answer, lost, acknowledge: acknowledged.resolve });
      const { replyTo: visibility = 'caller' } = action;
      if (typeof begun !== 'function') {
        // Discord does not accept a form as the answer to a form, so only a forged custom id can ask for one.
        if (interaction.isModalSubmit()) throw new UserError(text('refused.over'));
        await answer.ask(drawModal(begun, interaction.locale));
        return { reply: undefined, visibility, severity: 'info', facts: { outcome: 'asked' } };
      }
      const reply = await begun((content, atOnce) => {
        answer.progress(drawContent(content, interaction.locale, services.bot.commandIds), atOnce);
      });
      return { reply, visibility, severity: 'info', facts: { outcome: 'done', ...reply.facts } };
    } catch (thrown) {
      const offered = thrown instanceof OfferedError ? thrown : new OfferedError(thrown, []);
      const error = offered.cause;
      if (error instanceof AnswerLostError) {
        return { reply: undefined, visibility: 'caller', severity: 'warn', facts: { outcome: 'lost', err: error } };
      }
      const rows = offered.rows.length > 0 ? offered.rows : formAgainRows(called?.action, call);
      const { reply, severity, facts } = failureOf(error, services.bot);
      // A refused use does not count toward the cooldown: the member can fix the cause and try again at once.
      if (facts.outcome === 'refused') giveBackUse();
      return { reply: { ...reply, rows }, visibility: 'caller', severity, facts: { ...offered.facts, ...facts } };
    }
  }

  async function begin(
    { name, speaks, replyTo = 'caller', deferred, begin }: Called['action'],
    call: SpeakCall,
    { answer, lost, acknowledge }: { answer: Answer; lost: AbortController; acknowledge: () => void },
  ): Promise<Work | Modal> {
    const { interaction } = call;
    const beginning = Promise.resolve().then(async () => {
      if (speaks && interaction.inCachedGuild()) {
        const rules = await services.settings.of(interaction.guildId).catch((error: unknown) => {
          throw new DeliveryError(undefined, { kind: 'none' }, error);
        });
        mustBeAdmitted(interaction, rules);
      }
      return begin(call);
    });
    if (!deferred) return beginning;
    const begun = await inTime(beginning, CHECK_BUDGET_MS, `The checks of ${name}`);
    if (begun && typeof begun !== 'function') return begun;
    try {
      await answer.defer(replyTo);
    } catch (error) {
      if (!speaks || error instanceof AnswerLostError) {
        lost.abort(error);
        throw error;
      }
      log.warn(
        { err: error, interactionId: interaction.id },
        'Discord rejected a command’s first reply: not speaking its text',
      );
      const unanswered = new UserError(refusal('unanswered'), { cause: error });
      lost.abort(unanswered);
      return ended(beginning, unanswered);
    }
    acknowledge();
    return beginning;
  }

  /** Tells what the canceled speech cost. The deferral was rejected, so this reply must come within Discord's 3 s. */
  const ended =
    (beginning: Promise<Work | Modal>, why: UserError): Work =>
    async (progress) => {
      const begun = await inTime(beginning, CHECK_BUDGET_MS, 'Its beginning');
      // Nothing was billed, because work that has not begun has sent nothing to the speech service.
      if (typeof begun !== 'function') throw why;
      const reply = await inTime(begun(progress), BILL_BUDGET_MS, 'The bill');
      if (!reply) throw new DeliveryError(undefined, { kind: 'unknown' }, why);
      return reply;
    };

  async function suggestions(interaction: AutocompleteInteraction) {
    const command = byName.get(interaction.commandName);
    if (!command || command.kind === 'message' || !command.complete) return [];
    if (overlongOption(interaction.options.data, command.options)) return [];
    if (!(await isFor(command, interaction)) || !isAllowedIn(interaction)) return [];
    try {
      const completing = command.complete({ interaction, services });
      return await withDeadline(completing, { timeoutMs: COMPLETION_BUDGET_MS, what: 'Autocomplete' });
    } catch (error) {
      // Suggestions are optional: the command itself checks the typed value.
      log.info({ err: error, command: command.name }, 'Autocomplete failed: showing no suggestions');
      return [];
    }
  }

  async function route(interaction: Interaction): Promise<void> {
    ages.cameIn(interaction.createdTimestamp);
    try {
      if (interaction.isAutocomplete()) {
        await interaction.respond((await suggestions(interaction)).slice(0, DISCORD_LIMITS.choices));
      } else await answerAsked(interaction as Asking);
    } catch (error) {
      log.warn({ err: error, interactionId: interaction.id }, 'Could not send a reply: the command may have run');
    }
  }

  return {
    handle(interaction: Interaction): Promise<void> {
      const handling = route(interaction).finally(() => underWay.delete(handling));
      underWay.add(handling);
      return handling;
    },
    async drain(timeoutMs: number): Promise<void> {
      const all = Promise.all(underWay);
      await withDeadline(all, { timeoutMs, what: 'Answering what was begun' }).catch((error: unknown) =>
        log.warn({ err: error, left: underWay.size }, 'Shutdown: some commands stay without a reply'),
      );
    },
  };
}

async function inTime<Value>(work: Promise<Value>, timeoutMs: number, what: string): Promise<Value | undefined> {
  return withDeadline(work, { timeoutMs, what }).catch((error: unknown) => {
    if (error instanceof DeadlineError) return undefined;
    throw error;
  });
}

const givenTo = (interaction: ControlInteraction) => ({
  argument: parseCustomId(interaction.customId).argument,
  values: 'values' in interaction ? interaction.values : [],
  fields: submittedFields(interaction),
});

function submittedFields(interaction: ControlInteraction): Readonly<Record<string, string>> {
  if (!interaction.isModalSubmit()) return {};
  return Object.fromEntries(
    interaction.fields.fields.map((field) => [
      field.customId,
      'value' in field ? String(field.value ?? '') : 'values' in field ? field.values.join(',') : '',
    ]),
  );
}

function fullName(interaction: Exclude<Asking, ControlInteraction>): string {
  if (!interaction.isChatInputCommand()) return interaction.commandName;
  return [interaction.commandName, interaction.options.getSubcommand(false)].filter((word) => word !== null).join(' ');
}

/** Discord's own clients check the length of options, but other clients may not. */
function overlongOption(
  given: readonly CommandInteractionOption[],
  options: readonly APIApplicationCommandOption[] = [],
): Text | undefined {
  for (const { name, value, options: inner } of given) {
    const option = options.find((one) => one.name === name);
    if (option && 'options' in option) return overlongOption(inner ?? [], option.options);
    const limit = option && 'max_length' in option ? option.max_length : undefined;
    if (typeof value !== 'string' || limit === undefined || value.length <= limit) continue;
    return text('refused.option-too-long', { option: name, length: value.length, limit });
  }
  return undefined;
}
