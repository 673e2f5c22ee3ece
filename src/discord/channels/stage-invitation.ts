import { type Client, Events, type VoiceBasedChannel, type VoiceState } from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';

/** How long the request to speak stays raised for a moderator to see it. */
const INVITATION_MS = 60_000;

type Look = (now: VoiceState) => void;

/** Waiting callers by client: they share one listener for the bot's own voice state, however many they are. */
const waiting = new WeakMap<Client, Set<Look>>();

/**
 * Requests to speak and resolves when a stage moderator has invited the bot. Rejects with a UserError when no moderator
 * does so in time or the bot is moved away, with the error of `ask`, or with the signal's reason.
 */
export async function whenInvited(
  client: Client,
  stage: VoiceBasedChannel,
  { ask, signal }: { readonly ask: () => Promise<unknown>; readonly signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const notInvited = () => reject(new UserError(text('stage.not-invited', { channel: `<#${stage.id}>` })));
  const timer = setTimeout(notInvited, INVITATION_MS);
  const stopLooking = lookAtOwnVoice(client, (now) => {
    if (now.guild.id !== stage.guild.id) return;
    if (now.channelId !== stage.id) notInvited();
    else if (!now.suppress) resolve();
  });
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp);
  try {
    await Promise.all([ask(), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    stopLooking();
  }
}

/**
 * Reports the bot's voice channel, in any server, whenever it changes. Separate listeners for many stages would look like
 * a leak to Node, which warns from the eleventh one on. Returns the unsubscriber.
 */
function lookAtOwnVoice(client: Client, look: Look): () => void {
  const looks = waiting.get(client) ?? listenOnce(client);
  looks.add(look);
  return () => looks.delete(look);
}

function listenOnce(client: Client): Set<Look> {
  const looks = new Set<Look>();
  waiting.set(client, looks);
  client.on(Events.VoiceStateUpdate, (_, now) => {
    if (now.id === client.user?.id) for (const look of [...looks]) look(now);
  });
  return looks;
}
