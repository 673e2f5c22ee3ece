import { type AutocompleteInteraction, type BaseInteraction, type Interaction, MessageFlags } from 'discord.js';
import type { Logger } from 'pino';
import { type Answer, AnswerLostError, createAnswer } from '../../discord/replies/answer.ts';
import { type Content, drawContent } from '../../discord/replies/content.ts';
import { drawModal, parseCustomId } from '../../discord/replies/layout.ts';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import type { Severity } from '../../errors/explain.ts';
import { refusal } from '../../errors/refusals.ts';
import { DeliveryError, UserError } from '../../errors/user-errors.ts';
import type { Metrics } from '../../services/monitoring/metrics.ts';
import { admissionRefusal } from '../../services/servers/admission.ts';
import { createCooldowns } from '../../services/servers/cooldowns.ts';
import { createAges } from '../../services/time/arrival-ages.ts';
import { DeadlineError, withDeadline } from '../../services/time/deadline.ts';
import { text } from '../../texts/catalog.ts';
import { countedIn, guardRefusal, requesterOf, situationOf } from './checks.ts';
import { type Command, type Form, OfferedError, type Services, type ShowProgress, type Work } from './command.ts';
import { type Conclusion, conclude, failureOf } from './final-reply.ts';
import { overlongOption } from './options.ts';
import { type CommandInteraction, createInteractionResolver, type ResolvedInteraction } from './resolve-interaction.ts';

interface Dispatcher {
  /** Answers one interaction, whatever happens; never rejects. */
  handle(interaction: Interaction): Promise<void>;
  /** Resolves when everything that was begun has been answered, or at the deadline. */
  drain(timeoutMs: number): Promise<void>;
}

interface DispatcherOptions {
  readonly commands: readonly Command[];
  readonly services: Services;
  /** Whether Discord got the first answer of an interaction more than once. */
  readonly repeated: (interactionId: string) => boolean;
  readonly log: Logger;
  /** Runs with the outcome of each command or control. */
  readonly onAnswered?: Metrics['commandAnswered'];
  readonly now?: () => number;
}

/** Checks that need no waiting take a few milliseconds; a slow store must not use up Discord's 3 seconds. */
const CHECK_BUDGET_MS = 500;
/** What speech cost that Discord left unanswered has to be known in what is left of these. */
const BILL_BUDGET_MS = 1_000;
/**
 * Discord takes no first answer later than 3 s after it was asked, and a session that is resumed hands over what was asked in the
 * meantime. The rest is for clocks that do not quite agree.
 */
const LATE_MS = 3_500;
/** Discord drops suggestions that come later than 3 s after the key was pressed. */
const COMPLETION_BUDGET_MS = 2_000;

type AnyInteraction = CommandInteraction | AutocompleteInteraction;

interface Outcome extends Conclusion {
  readonly severity: Severity;
}

/** Finds the command or control for each interaction, checks its needs, and is the one place where errors are caught. */
export function createDispatcher({
  commands,
  services,
  repeated,
  log,
  onAnswered,
  now,
}: DispatcherOptions): Dispatcher {
  const finder = createInteractionResolver({ commands, services, now });
  const cooldowns = createCooldowns(now);
  const underWay = new Set<Promise<void>>();
  const ages = createAges(() => performance.now());

  async function isFor(onlyFor: Command['onlyFor'], { user, locale }: AnyInteraction): Promise<boolean> {
    return onlyFor === undefined || services.bot.owners.isOwner(user.id, locale);
  }

  /** Throws a UserError, or counts the use for the cooldown; returns what gives it back. */
  function guard({ name, needs, permitted, onlyFor }: ResolvedInteraction, interaction: CommandInteraction) {
    if (!permitted) {
      throw new UserError(text('refused.not-given', { command: finder.commandOf(interaction)?.name ?? name }));
    }
    const situation = situationOf(interaction, services.speakers);
    // In a server without the bot, Discord calls the context a server as well.
    if (!onlyFor && !interaction.inCachedGuild() && needs.contexts.length > 1 && !services.bot.directUse) {
      throw new UserError(text('refused.direct-off'));
    }
    // Only what is typed has a name that says anything to a person.
    const typed = interaction.isChatInputCommand() ? name : undefined;
    const refused = guardRefusal(typed, needs, situation) ?? overlong(finder.commandOf(interaction), interaction);
    if (refused) throw new UserError(refused);
    if (!needs.cooldown) return () => undefined;
    const key = `${name} ${countedIn(interaction)} ${interaction.user.id}`;
    const waitMs = cooldowns.take(key, needs.cooldown);
    if (waitMs <= 0) return () => cooldowns.giveBack(key);
    const seconds = Math.ceil(waitMs / 1000);
    throw new UserError(
      typed ? text('refused.cooldown', { command: typed, seconds }) : text('refused.cooldown-again', { seconds }),
    );
  }

  async function answerAsked(interaction: CommandInteraction): Promise<void> {
    const startedAtMs = performance.now();
    const { guildId, channelId, locale, user } = interaction;
    const isCommand = interaction.isCommand();
    const name = isCommand
      ? { command: fullName(interaction) }
      : { control: parseCustomId(interaction.customId).control };
    const itsLog = log.child({ ...name, guildId, channelId, userId: user.id, interactionId: interaction.id });
    const answer = createAnswer(interaction as Parameters<typeof createAnswer>[0], { repeated, log: itsLog });
    const answered = Promise.withResolvers<void>();
    const outcome = fitting(interaction, await outcomeOf(interaction, answer, answered.promise));
    const { severity, facts } = outcome;
    // Custom ids can be made up: only names that there are become labels.
    onAnswered?.({ command: finder.commandOf(interaction)?.name ?? 'unknown', outcome: String(facts.outcome) });
    itsLog[severity]({ ...facts, ms: Math.round(performance.now() - startedAtMs) }, isCommand ? 'Command' : 'Control');
    await conclude(answer, outcome, { locale, localVoice: services.bot.localVoice, log: itsLog });
    answered.resolve();
    itsLog.debug('Answered');
  }

  /** A panel goes into the panel it was asked for from, not into another message that a made-up id claims to stand on. */
  function fitting(interaction: CommandInteraction, outcome: Outcome): Outcome {
    if (!outcome.reply?.panel || outcome.visibility !== 'message' || interaction.isCommand()) return outcome;
    if (interaction.message?.flags.has(MessageFlags.IsComponentsV2)) return outcome;
    return { ...outcome, reply: { lines: [text('refused.over')] }, visibility: 'caller' };
  }

  const isLate = ({ createdTimestamp }: AnyInteraction) => ages.ageMs(createdTimestamp) > LATE_MS;

  /** What to say in the end, whether it succeeded or not, and what to log of it. */
  async function outcomeOf(interaction: CommandInteraction, answer: Answer, answered: Promise<void>): Promise<Outcome> {
    let asked: ResolvedInteraction | undefined;
    let giveBackUse = () => {};
    try {
      // The member no longer waits for it: nothing is bought, skipped or left.
      if (isLate(interaction)) throw new AnswerLostError('Discord handed it over too late for an answer');
      const found = finder.resolve(interaction);
      if (!found) throw new UserError(text(interaction.isCommand() ? 'refused.unknown-command' : 'refused.over'));
      // Discord lists the owner's commands for everyone in the place that offers them.
      if (!(await isFor(found.onlyFor, interaction)))
        throw new UserError(text(interaction.isCommand() ? 'refused.owner-only' : 'refused.over'));
      asked = found;
      giveBackUse = guard(asked, interaction);
      const begun = await begin(asked, interaction, { answer, answered });
      const visibility = asked.replyTo;
      if (typeof begun !== 'function') {
        // Discord opens no form in answer to a form: this one was made up.
        if (interaction.isModalSubmit()) throw new UserError(text('refused.over'));
        await answer.ask(drawModal(begun.modal, interaction.locale));
        return { visibility, severity: 'info', facts: { outcome: 'asked' } };
      }
      const progress: ShowProgress = (content: Content) => answer.progress(drawContent(content, interaction.locale));
      const reply = await begun(progress);
      return { reply, visibility, severity: 'info', facts: { outcome: 'done', ...reply.facts } };
    } catch (thrown) {
      const failed = failure(thrown, asked);
      // A refusal does not count as a use: after fixing the cause, the member need not wait.
      if (failed.facts.outcome === 'refused') giveBackUse();
      return failed;
    }
  }

  function failure(thrown: unknown, asked: ResolvedInteraction | undefined): Outcome {
    const error = thrown instanceof OfferedError ? thrown.cause : thrown;
    if (error instanceof AnswerLostError) {
      return { visibility: 'caller', severity: 'warn', facts: { outcome: 'lost', err: error } };
    }
    const offered = thrown instanceof OfferedError ? thrown : undefined;
    const rows = offered && offered.rows.length > 0 ? offered.rows : (asked?.offerBack() ?? []);
    const { lines, toOthers, severity, facts } = failureOf(error, services.bot);
    return { reply: { lines, toOthers, rows }, visibility: 'caller', severity, facts: { ...offered?.facts, ...facts } };
  }

  /** By the rules that the server's admins made. */
  async function admit(interaction: BaseInteraction<'cached'>): Promise<void> {
    const rules = await services.settings.of(interaction.guildId).catch((error: unknown) => {
      throw new DeliveryError(undefined, { kind: 'none' }, error);
    });
    const refused = admissionRefusal(rules, requesterOf(interaction));
    if (refused) throw new UserError(refused);
  }

  /** What is left to do after the checks and (when it takes time) the deferral. */
  async function begin(
    asked: ResolvedInteraction,
    interaction: CommandInteraction,
    { answer, answered }: { readonly answer: Answer; readonly answered: Promise<void> },
  ): Promise<Work | Form> {
    const lost = new AbortController();
    const acknowledged = Promise.withResolvers<void>();
    const beginning = Promise.resolve().then(async () => {
      if (asked.needs.speaks && interaction.inCachedGuild()) await admit(interaction);
      return asked.begin({ signal: lost.signal, acknowledged: acknowledged.promise, answered });
    });
    if (!asked.deferred) return beginning;
    const checks = withDeadline(beginning, { timeoutMs: CHECK_BUDGET_MS, what: `The checks of ${asked.name}` });
    const begun = await checks.catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
      return undefined;
    });
    if (begun && typeof begun !== 'function') return begun;
    // A command has no message that could change.
    const visibility = asked.replyTo === 'message' && interaction.isCommand() ? 'everyone' : asked.replyTo;
    try {
      await answer.defer(visibility);
    } catch (error) {
      if (!asked.needs.speaks || error instanceof AnswerLostError) {
        lost.abort(error);
        throw error;
      }
      log.warn({ err: error, interactionId: interaction.id }, 'Discord rejected the initial response');
      const unanswered = new UserError(refusal('unanswered'), { cause: error });
      lost.abort(unanswered);
      return ended(beginning, unanswered);
    }
    acknowledged.resolve();
    return beginning;
  }

  /** Speech that Discord left without a first answer is over; it may have been paid for, and Discord waits for 3 s in all. */
  const ended =
    (beginning: Promise<Work | Form>, why: UserError): Work =>
    async (progress) => {
      // Before it has begun, nothing was sent.
      const begun = await withDeadline(beginning, { timeoutMs: CHECK_BUDGET_MS, what: 'Its beginning' }).catch(
        (error: unknown) => {
          throw error instanceof DeadlineError ? why : error;
        },
      );
      if (typeof begun !== 'function') throw why;
      const ending = withDeadline(begun(progress), { timeoutMs: BILL_BUDGET_MS, what: 'The bill' });
      return ending.catch((error: unknown) => {
        throw error instanceof DeadlineError ? new DeliveryError(undefined, { kind: 'unknown' }, why) : error;
      });
    };

  async function suggest(interaction: AutocompleteInteraction): Promise<void> {
    const choices = await suggestions(finder.commandNamed(interaction.commandName), interaction);
    await interaction.respond(choices.slice(0, DISCORD_LIMITS.choices));
  }

  async function suggestions(command: Command | undefined, interaction: AutocompleteInteraction) {
    if (!command || command.kind === 'message' || !command.complete || overlong(command, interaction)) return [];
    if (!(await isFor(command.onlyFor, interaction))) return [];
    try {
      const completing = command.complete({ interaction, services });
      return await withDeadline(completing, { timeoutMs: COMPLETION_BUDGET_MS, what: 'Autocomplete' });
    } catch (error) {
      // No suggestions: what is typed is checked when the command is sent.
      log.info({ err: error, command: command.name }, 'Autocomplete failed');
      return [];
    }
  }

  async function route(interaction: Interaction): Promise<void> {
    ages.cameIn(interaction.createdTimestamp);
    try {
      if (interaction.isAutocomplete()) await suggest(interaction);
      else await answerAsked(interaction as CommandInteraction);
    } catch (error) {
      // Discord itself did not take the answer: there is no way left to tell the person.
      log.warn({ err: error, interactionId: interaction.id }, 'An interaction could not be answered');
    }
  }

  return {
    handle(interaction) {
      const handling = route(interaction).finally(() => underWay.delete(handling));
      underWay.add(handling);
      return handling;
    },
    async drain(timeoutMs) {
      const all = Promise.all(underWay).then(() => undefined);
      await withDeadline(all, { timeoutMs, what: 'Answering what was begun' }).catch((error: unknown) => {
        log.warn({ err: error, left: underWay.size }, 'Some commands got no reply');
      });
    },
  };
}

const overlong = (command: Command | undefined, interaction: AnyInteraction) =>
  command && command.kind !== 'message' && (interaction.isChatInputCommand() || interaction.isAutocomplete())
    ? overlongOption(interaction.options.data, command.options)
    : undefined;

/** 'voice set', as it is typed. */
function fullName(interaction: CommandInteraction & { readonly commandName: string }): string {
  if (!interaction.isChatInputCommand()) return interaction.commandName;
  const { options } = interaction;
  return [interaction.commandName, options.getSubcommandGroup(false), options.getSubcommand(false)]
    .filter((word) => word !== null)
    .join(' ');
}
