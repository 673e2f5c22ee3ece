import type {
  AutocompleteInteraction,
  ChatInputCommandInteraction,
  Interaction,
  RepliableInteraction,
} from 'discord.js';
import type { Logger } from 'pino';
import { type Answer, AnswerLostError, createAnswer } from '../discord/answer.ts';
import { explain, type Severity, UserError } from '../errors.ts';
import { DeadlineError, withDeadline } from '../services/deadline.ts';
import { render, type Text, text } from '../texts/catalogue.ts';
import type { Command, Services, Work } from './command.ts';
import { createCooldowns, refusal } from './guards.ts';
import { situationOf } from './situation.ts';

export interface Dispatcher {
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
  readonly now?: () => number;
}

/** Checks that need no waiting take a few milliseconds; a slow store must not use up Discord's 3 seconds. */
const CHECK_BUDGET_MS = 500;
/** Discord drops suggestions that come later than 3 s after the key was pressed. */
const COMPLETION_BUDGET_MS = 2_000;
/** Discord's limits. */
const MESSAGE_CHARACTERS = 2000;
const CHOICES = 25;

interface Outcome {
  /** Undefined when there is nobody left to tell. */
  readonly lines: readonly Text[] | undefined;
  readonly ephemeral: boolean;
  readonly severity: Severity;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Finds the command for each interaction, checks what it needs, and is the one place where its errors are caught. */
export function createDispatcher({ commands, services, repeated, log, now }: DispatcherOptions): Dispatcher {
  const byName = new Map(commands.map((command) => [command.name, command]));
  const cooldowns = createCooldowns(now);
  const underWay = new Set<Promise<void>>();

  function guard(command: Command, interaction: RepliableInteraction): void {
    const refused = refusal(command.name, command.needs, situationOf(interaction, services.speakers));
    if (refused) throw new UserError(refused);
    if (!command.needs.cooldown) return;
    const waitMs = cooldowns.take(
      `${command.name} ${interaction.guildId} ${interaction.user.id}`,
      command.needs.cooldown,
    );
    if (waitMs <= 0) return;
    throw new UserError(text('refused.cooldown', { command: command.name, seconds: Math.ceil(waitMs / 1000) }));
  }

  async function answerCommand(interaction: ChatInputCommandInteraction): Promise<void> {
    const startedAt = performance.now();
    const { commandName, guildId, channelId } = interaction;
    const commandLog = log.child({ command: commandName, guildId, channelId, interactionId: interaction.id });
    const answer = createAnswer(interaction, { repeated, log: commandLog });
    const { severity, lines, ephemeral, facts } = await outcomeOf(interaction, answer);
    commandLog[severity]({ ...facts, ms: Math.round(performance.now() - startedAt) }, 'Command');
    if (lines) await answer.conclude({ content: wordsOf(lines, interaction.locale), ephemeral });
  }

  /** What to say in the end, whether the command succeeded or not, and what to log of it. */
  async function outcomeOf(interaction: ChatInputCommandInteraction, answer: Answer): Promise<Outcome> {
    try {
      const command = byName.get(interaction.commandName);
      if (!command) throw new UserError(text('refused.unknown-command'));
      guard(command, interaction);
      const work = await begin(command, interaction, answer);
      const { lines, facts } = await work();
      return { lines, ephemeral: command.replyTo === 'caller', severity: 'info', facts: { outcome: 'done', ...facts } };
    } catch (error) {
      if (error instanceof AnswerLostError) {
        return { lines: undefined, ephemeral: true, severity: 'warn', facts: { outcome: 'lost', err: error } };
      }
      const explanation = explain(error, { localVoice: services.localVoice });
      const { lines, severity, reason, incident, requestId, cost } = explanation;
      const outcome = error instanceof UserError ? 'refused' : 'failed';
      const facts = { outcome, reason, incident, requestId, ...cost, ...(reason === undefined && { err: error }) };
      return { lines, ephemeral: true, severity, facts };
    }
  }

  /** The rest of the command, after its checks and (when it takes time) the deferral. */
  async function begin(command: Command, interaction: ChatInputCommandInteraction, answer: Answer): Promise<Work> {
    // guard() has seen that the context is one of the command's, and all of those are servers the bot is in.
    if (!interaction.inCachedGuild()) throw new UserError(text('refused.server-only'));
    const lost = new AbortController();
    const call = { interaction, services, signal: lost.signal };
    const beginning = Promise.resolve().then(() => command.begin(call));
    if (!command.deferred) return beginning;
    const checks = withDeadline(beginning, { timeoutMs: CHECK_BUDGET_MS, what: `The checks of ${command.name}` });
    await checks.catch((error: unknown) => {
      if (!(error instanceof DeadlineError)) throw error;
    });
    try {
      await answer.defer({ ephemeral: command.replyTo === 'caller' });
    } catch (error) {
      lost.abort(error);
      throw error;
    }
    return beginning;
  }

  async function suggest(interaction: AutocompleteInteraction): Promise<void> {
    const command = byName.get(interaction.commandName);
    const choices = await suggestions(command, interaction);
    await interaction.respond(choices.slice(0, CHOICES));
  }

  async function suggestions(command: Command | undefined, interaction: AutocompleteInteraction) {
    if (!command?.complete || !interaction.inCachedGuild()) return [];
    try {
      const completing = command.complete({ interaction, services });
      return await withDeadline(completing, { timeoutMs: COMPLETION_BUDGET_MS, what: 'Autocomplete' });
    } catch (error) {
      // No suggestions: what is typed is checked when the command is sent.
      log.info({ err: error, command: command.name }, 'No suggestions');
      return [];
    }
  }

  async function route(interaction: Interaction): Promise<void> {
    try {
      if (interaction.isChatInputCommand()) await answerCommand(interaction);
      else if (interaction.isAutocomplete()) await suggest(interaction);
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
        log.warn({ err: error, left: underWay.size }, 'Some commands were left unanswered');
      });
    },
  };
}

function wordsOf(lines: readonly Text[], locale: string): string {
  const content = lines.map((line) => render(line, locale)).join('\n');
  return content.length <= MESSAGE_CHARACTERS ? content : `${content.slice(0, MESSAGE_CHARACTERS - 1)}…`;
}
