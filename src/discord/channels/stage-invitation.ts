import { type Client, Events, type VoiceBasedChannel, type VoiceState } from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';

/** How long a raised hand is left up for a moderator to see it. */
const INVITATION_MS = 60_000;

type Look = (now: VoiceState) => void;

/** Those who wait for what Discord tells of the bot itself, by client: however many, they share one listener. */
const waiting = new WeakMap<Client, Set<Look>>();

/**
 * Resolves when a moderator of the stage has invited the bot, which asks for that first. Rejects with a UserError when
 * nobody does or the bot is moved away, with what `ask` rejects with, or with the signal's reason.
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
 * Shows where the bot is, in any server, whenever that changes. A listener for each of many stages would be taken for a
 * leak by Node, which warns from the eleventh one on. Returns the function that ends it.
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
