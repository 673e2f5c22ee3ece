import { type Client, Events, type Guild } from 'discord.js';

/** Whether another process speaks for a server; without one, for direct messages. */
export type IsElsewhere = (guildId: string | undefined) => boolean;

const elsewhere = new WeakMap<Client, IsElsewhere>();

type ServerOf = (subject: Subject, now: Subject | undefined) => string | null | undefined;

const ofSubject: ServerOf = ({ guildId }) => guildId;
const ofServer: ServerOf = ({ id }) => id;

/** The server of each event on which the bot acts by itself. */
const SERVER_OF: ReadonlyMap<string | symbol, ServerOf> = new Map<string | symbol, ServerOf>([
  [Events.InteractionCreate, ofSubject],
  [Events.MessageCreate, ofSubject],
  [Events.MessageUpdate, (_, now) => now?.guildId],
  [Events.VoiceStateUpdate, (_, now) => now?.guild?.id],
  [Events.GuildCreate, ofServer],
  [Events.GuildDelete, ofServer],
  [Events.GuildAvailable, ofServer],
  [Events.GuildUnavailable, ofServer],
]);

interface Subject {
  readonly id?: string;
  readonly guildId?: string | null;
  readonly guild?: { readonly id: string };
}

/**
 * Listeners are not told of servers for which another process speaks: discord.js knows what happens there, and nothing is answered,
 * spoken or left. Two sessions of one bot, whatever their numbers of shards, are both sent every event.
 */
export function leaveToOthers(client: Client, isElsewhere: IsElsewhere): void {
  elsewhere.set(client, isElsewhere);
  const emit: (event: string | symbol, ...subjects: unknown[]) => boolean = client.emit.bind(client);
  client.emit = (event: string | symbol, ...subjects: unknown[]) => {
    const serverOf = SERVER_OF.get(event);
    const isMute = serverOf && isElsewhere(serverOf(subjects[0] as Subject, subjects[1] as Subject) ?? undefined);
    return isMute ? false : emit(event, ...subjects);
  };
}

export const isHere = (client: Client, guildId: string): boolean => !elsewhere.get(client)?.(guildId);

/** The servers for which this process speaks. */
export const serversHere = (client: Client): readonly Guild[] =>
  [...client.guilds.cache.values()].filter(({ id }) => isHere(client, id));
