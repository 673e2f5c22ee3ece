import { ComponentType, type Message, type MessageSnapshot, type SectionComponent } from 'discord.js';

type Said = Message | MessageSnapshot;

/** Returns the parts of a message to read aloud. For a forward, these are the parts of the forwarded message. */
export function readableParts(message: Message) {
  const own = partsOf(message);
  const forwarded = message.messageSnapshots.first();
  const isEmpty = own.content === '' && own.attachments.length + own.stickers.length === 0;
  return isEmpty && forwarded ? partsOf(forwarded) : own;
}

function partsOf(said: Said) {
  return {
    content: contentOf(said),
    attachments: said.attachments.map(({ name, contentType, waveform, spoiler }) => ({
      name,
      contentType,
      // A voice message is recognized by its waveform, because other audio files and videos have a duration, too.
      voiceMessage: waveform !== null,
      spoiler,
    })),
    stickers: said.stickers.map(({ name }) => name),
    mentioned: (userId: string) => said.mentions.users.get(userId)?.displayName,
  };
}

/** Bots often write only in embeds and components. Next to text, embeds usually just preview links. */
function contentOf({ content, embeds, poll, components }: Said): string {
  if (content.trim() !== '') return content;
  const asked = poll ? [poll.question.text, ...poll.answers.map((answer) => answer.text)] : [];
  const embedded = embeds.flatMap(({ title, description }) => [title, description]);
  return [...asked, ...embedded, ...components.flatMap(textsIn)].filter((words) => words !== null).join('\n');
}

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
