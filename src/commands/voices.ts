import { ApplicationCommandOptionType, InteractionContextType } from 'discord.js';
import type { Voice } from '../services/speech/interface/schemas.ts';
import { rankVoices } from '../services/speech/voice-search.ts';
import type { VoiceList } from '../services/voice-catalogue.ts';
import { type Text, text } from '../texts/catalogue.ts';
import type { ChatCommand } from './command.ts';
import { quote } from './quote.ts';

/** Well under Discord's 2000 characters together with the other lines. */
const NAMES_CHARACTERS = 1500;

export const voices: ChatCommand = {
  name: 'voices',
  description: 'voices.description',
  options: [
    { type: ApplicationCommandOptionType.String, name: 'search', description: 'voices.search', maxLength: 100 },
  ],
  needs: { contexts: [InteractionContextType.Guild] },
  replyTo: 'caller',
  deferred: true,

  begin({ interaction, services }) {
    const search = interaction.options.getString('search')?.trim() ?? '';
    return async () => {
      const list = await services.voices.list();
      const found = search === '' ? list.voices : rankVoices(search, list.voices, { limit: list.voices.length });
      const lines = found.length === 0 ? [nothing(search)] : listing(found, search);
      return { lines: services.voices.stale ? [...lines, age(list)] : lines };
    };
  },
};

function nothing(search: string): Text {
  return search === '' ? text('refused.no-voices') : text('voices.none', { search: quote(search, 100) });
}

function age({ fetchedAtMs }: VoiceList): Text {
  return text('voices.stale', { since: `<t:${Math.round(fetchedAtMs / 1000)}:R>` });
}

function listing(found: readonly Voice[], search: string): Text[] {
  const count = found.length;
  const { groups, left } = byModel(found);
  return [
    search === '' ? text('voices.title', { count }) : text('voices.found', { count, search: quote(search, 100) }),
    ...[...groups].map(([model, names]) => text('voices.model', { model: quote(model), names: names.join(', ') })),
    ...(left > 0 ? [text('voices.more', { count: left })] : []),
  ];
}

/** Names by model, as many as fit into one message, and how many did not. */
function byModel(found: readonly Voice[]): { groups: Map<string, string[]>; left: number } {
  const groups = new Map<string, string[]>();
  let characters = 0;
  let shown = 0;
  for (const { name, model, language } of found) {
    const label = language === 'multiple' ? quote(name) : `${quote(name)} (${quote(language)})`;
    characters += label.length + 2 + (groups.has(model) ? 0 : model.length + 8);
    if (characters > NAMES_CHARACTERS) break;
    groups.set(model, [...(groups.get(model) ?? []), label]);
    shown += 1;
  }
  return { groups, left: found.length - shown };
}
