import { voiceName } from '../../discord/replies/quote.ts';
import { keptVoices, voicesUnder } from '../../services/voices/preferences.ts';
import type { TagSyntax } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { INSTANT_TAGS, WRAPPING_TAGS } from '../../speech/interface/tags.ts';
import { knownOptions, tagsOf } from '../../speech/request.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { type ChatCommand, EVERYWHERE, type Reply } from '../framework/command.ts';
import { leavesOutTags } from '../say/wording.ts';
import { modelNames } from '../voice-options/speech-options.ts';
import { chooseFreshly, completeVoice, currentPreferences, voiceOption } from '../voice-options/voice-option.ts';

export const tags: ChatCommand = {
  name: 'tags',
  description: 'tags.description',
  options: [voiceOption('tags.voice')],
  needs: { contexts: EVERYWHERE },
  deferred: true,
  complete: completeVoice,

  begin(call) {
    const asked = call.interaction.options.getString('voice') ?? undefined;
    return async () => {
      const preferences = await currentPreferences(call);
      const orders = { asked, kept: keptVoices(preferences), rules: preferences.server };
      const { voice, list } = await chooseFreshly(call.services, orders);
      return listOf(voice, voicesUnder(preferences.server, list));
    };
  },
};

function listOf(voice: Voice, usable: readonly Voice[]): Reply {
  const syntax = tagsOf(voice);
  const name = voiceName(voice);
  if (syntax === 'none') {
    const models = modelNames(usable.filter((other) => knownOptions(other).includes('tags')));
    const common = { voice: name, tags: leavesOutTags(voice) ? 'left' : 'read' };
    const line =
      models.length > 0 ? text('tags.elsewhere', { ...common, models: { list: models } }) : text('tags.none', common);
    return { lines: [line] };
  }
  return { lines: [...explanation(syntax, name), text('tags.hint')] };
}

function explanation(syntax: Exclude<TagSyntax, 'none'>, voice: Text | string): Text[] {
  if (syntax === 'square-open') return [text('tags.square', { voice })];
  if (syntax === 'angle-open') return [text('tags.angle', { voice })];
  return [
    text('tags.closed', { voice }),
    text('tags.instant', { tags: INSTANT_TAGS.map((name) => `\`[${name}]\``).join(' ') }),
    text('tags.wrapping', { tags: WRAPPING_TAGS.map((name) => `\`<${name}>…</${name}>\``).join(' ') }),
  ];
}
