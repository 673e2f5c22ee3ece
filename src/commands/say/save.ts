import { noteOfSaved, noteWhenOver } from '../../discord/moderation/moderation-notes.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import { mustBeReadable } from '../framework/checks/queue-rights.ts';
import { serverControl } from '../framework/server-call.ts';
import { mustBeUnblocked } from './moderation-entry.ts';
import { attached, mostBytes } from './speech-files.ts';
import { speechFacts, speechLines } from './speech-progress.ts';

/** Below what was spoken; its argument is the item's id. What is at hand still costs nothing. */
export const saveButton = serverControl({
  name: 'save',
  needs: { speaks: true, cooldown: { uses: 5, perMs: 30_000 } },
  replyTo: 'caller',
  deferred: true,

  async begin({ interaction, services, argument, signal }) {
    const speaker = services.speakers.find(interaction.guildId);
    const item = speaker?.find(argument);
    if (!item) throw new UserError(text('replay.gone'));
    mustBeReadable(interaction, item);
    // Now: a short while later it may be forgotten.
    const heard = speaker?.spoken(argument)?.clip;
    const { guildId, user, channelId } = interaction;
    const characters = item.request.input.length;
    const note = { guildId, userId: user.id, kind: 'file', characters, channelId: channelId ?? undefined } as const;
    const { request, authorId } = item;
    // First: what ends it may come while its words are looked at.
    const file = services.speakers.files.begin({ guildId, userId: user.id, authorId, request }, signal);
    await mustBeUnblocked(services, note, item).catch((error: unknown) => {
      file.over();
      throw error;
    });
    return async () => {
      try {
        file.signal.throwIfAborted();
        const asker = { guildId, userId: user.id, spentBy: 'file', signal: file.signal } as const;
        const made = services.synthesiser.file(request, { ...asker, maxBytes: mostBytes({ interaction }), heard });
        noteWhenOver(services, note, made.then(noteOfSaved));
        const { bytes, extension, facts } = await made;
        return {
          lines: [text('save.saved', { text: quote(request.input) }), ...speechLines(facts, services)],
          files: [attached(request, { bytes, extension })],
          facts: speechFacts(facts),
        };
      } finally {
        file.over();
      }
    };
  },
});
