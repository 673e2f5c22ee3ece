import { ComponentType, type Message, type MessageSnapshot, type SectionComponent } from 'discord.js';
import type { ReadableContext } from '../../services/text/readable/context.ts';

type Said = Pick<
  Message | MessageSnapshot,
  'attachments' | 'components' | 'content' | 'embeds' | 'mentions' | 'poll' | 'stickers'
>;

/** What of a message is read out. */
interface ReadableParts extends Required<Pick<ReadableContext, 'attachments' | 'stickers'>> {
  /** As it is written. */
  readonly content: string;
  /** The shown names of users it mentions, as far as they came with it. */
  mentioned(userId: string): string | undefined;
}

/** A message that forwards another one has nothing to say of its own. */
export function readableParts(message: Said & Pick<Message, 'messageSnapshots'>): ReadableParts {
  const own = partsOf(message);
  const forwarded = message.messageSnapshots.first();
  const isEmpty = own.content === '' && own.attachments.length + own.stickers.length === 0;
  return isEmpty && forwarded ? partsOf(forwarded) : own;
}

function partsOf(said: Said): ReadableParts {
  return {
    content: contentOf(said),
    attachments: said.attachments.map(({ name, contentType, waveform, spoiler }) => ({
      name,
      contentType,
      // Other sounds, and videos, have a duration as well.
      voiceMessage: waveform !== null,
      spoiler,
    })),
    stickers: said.stickers.map(({ name }) => name),
    mentioned: (userId) => said.mentions.users.get(userId)?.displayName,
  };
}

/**
 * Bots often say what they have to say in an embed or in components alone; where there are words, embeds are previews of
 * their links.
 */
function contentOf({ content, embeds, poll, components }: Said): string {
  if (content.trim() !== '') return content;
  const asked = poll ? [poll.question.text, ...poll.answers.map((answer) => answer.text)] : [];
  const embedded = embeds.flatMap(({ title, description }) => [title, description]);
  return [...asked, ...embedded, ...components.flatMap(textsIn)].filter((words) => words !== null).join('\n');
}

/** The texts that Discord shows, in their order; what is written on buttons is not among them. */
function textsIn(component: Said['components'][number] | SectionComponent['components'][number]): string[] {
  switch (component.type) {
    case ComponentType.TextDisplay:
      return [component.content];
    case ComponentType.Section:
    case ComponentType.Container:
      return component.components.flatMap(textsIn);
    default:
      return [];
  }
}
