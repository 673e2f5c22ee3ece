import type { Command } from 'commander';
import { canonicalModelId, MODEL_IDS } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { readConfigFile } from '../config/config-file.ts';
import { withSession } from '../config/session.ts';
import { LAYER_KEYS } from '../config/settings.ts';
import { plain, print } from '../terminal/terminal.ts';

/*
 * The shells only carry words: their completion is decided here, from the same definition the commands are read with,
 * so that completions are never behind it.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# voice completion for bash: eval "$(voice completion bash)"
_voice_complete() {
  local tab=$'\\t' line quoted words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r line; do
    printf -v quoted %q "\${line%%$tab*}"
    COMPREPLY+=("$quoted")
  done < <(voice __complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _voice_complete voice
`,
  zsh: `#compdef voice
# voice completion for zsh: source <(voice completion zsh), or save it as _voice in a folder of $fpath
_voice() {
  local tab=$'\\t' line
  local -a lines values descriptions
  lines=("\${(@f)$(voice __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    values+=("\${line%%$tab*}")
    descriptions+=("\${line/$tab/  -- }")
  done
  if (( \${#values} )); then
    compadd -l -d descriptions -a values
  else
    _files
  fi
}
if [[ "$funcstack[1]" == "_voice" ]]; then
  _voice "$@"
else
  compdef _voice voice
fi
`,
  fish: `# voice completion for fish: voice completion fish | source
function __voice_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (voice __complete -- $words[2..-1] "$current" 2>/dev/null)
    if test (count $lines) -gt 0
        printf '%s\\n' $lines
    else
        __fish_complete_path "$current"
    end
end
complete -c voice -e
complete -c voice -f -a '(__voice_complete)'
`,
};

export function completion(shell: Shell): void {
  print(SCRIPTS[shell]);
}

type Candidate = { readonly value: string; readonly about: string };

/** Prints the candidates for the last of `words`, one a line, with a tab and a description. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const { config } = await readConfigFile().catch(() => ({ config: { env: {} } }));
  const voices = isVoiceNext(words) ? await listedVoices(words) : [];
  for (const { value, about } of candidates(program, words, Object.keys(config.env), voices)) {
    print(about === '' ? plain(value) : `${plain(value)}\t${plain(about)}`);
  }
}

const VOICE_FLAGS = ['-v', '--voice'];
/** A shell that waits longer than this for a completion seems to hang. */
const VOICES_DEADLINE_MS = 2_000;

const isVoiceNext = (words: readonly string[]): boolean => VOICE_FLAGS.includes(words.at(-2) ?? '');

const givenValue = (words: readonly string[], ...flags: readonly string[]): string | undefined =>
  words.slice(0, -1).find((_word, index) => flags.includes(words[index - 1] ?? ''));

/** The voices of the service in effect; none where it cannot be asked: a completion has no place for a message. */
async function listedVoices(words: readonly string[]): Promise<readonly Voice[]> {
  const [env, apiUrl] = [givenValue(words, '--env'), givenValue(words, '--api-url')];
  const flags = { ...(env !== undefined && { env }), ...(apiUrl !== undefined && { apiUrl }) };
  try {
    return await withSession(flags, async ({ client }) => {
      const { voices } = await client.voices({ deadlineMs: VOICES_DEADLINE_MS });
      const model = givenValue(words, '-m', '--model-id');
      const wanted = model && canonicalModelId(model).toLowerCase();
      return voices.filter((voice) => wanted === undefined || voice.model.toLowerCase() === wanted);
    });
  } catch {
    return [];
  }
}

/** The candidates for the last word; none for a text, and none for a file, which the shell completes. */
export function candidates(
  program: Command,
  words: readonly string[],
  envs: readonly string[],
  voices: readonly Voice[] = [],
): Candidate[] {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  let command = program;
  let used = 0;
  for (const word of before) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (next === undefined) break;
    command = next;
    used++;
  }
  const previous = before.at(-1) ?? '';
  const option = command.options.find((candidate) => candidate.short === previous || candidate.long === previous);
  const starting = (all: readonly Candidate[]) => all.filter(({ value }) => value.startsWith(current));
  if (option?.long === '--voice') return starting(byName(voices));
  if (option !== undefined && (option.required || option.optional)) {
    return starting(valuesOf(option.long ?? '', envs).map((value) => ({ value, about: '' })));
  }
  if (current.startsWith('-')) {
    const options = [...command.options, ...program.options].filter(
      ({ hidden, long }) => !hidden && long !== undefined,
    );
    return starting(options.map(({ long, description }) => ({ value: long ?? '', about: description })));
  }
  const isFirstArgument = before.length === used;
  const subcommands = command.commands.filter((candidate) => !candidate.name().startsWith('__'));
  if (subcommands.length > 0 && isFirstArgument) {
    return starting(subcommands.map((candidate) => ({ value: candidate.name(), about: candidate.description() })));
  }
  return isFirstArgument ? starting(argumentsOf(command, envs).map((value) => ({ value, about: '' }))) : [];
}

/** Each name once, with its models. */
function byName(voices: readonly Voice[]): Candidate[] {
  const models = Map.groupBy(voices, ({ name }) => name);
  return [...models].map(([value, named]) => ({ value, about: named.map(({ model }) => model).join(', ') }));
}

function valuesOf(flag: string, envs: readonly string[]): readonly string[] {
  if (flag === '--env') return envs;
  if (flag === '--format') return ['wav', 'mp3'];
  if (flag === '--model-id' || flag === '--model') return [...MODEL_IDS, 'grok'];
  return [];
}

function argumentsOf(command: Command, envs: readonly string[]): readonly string[] {
  const path = command.parent?.name() === 'config' ? command.name() : '';
  if (command.name() === 'completion') return SHELLS;
  if (path === 'get' || path === 'set') return [...LAYER_KEYS, 'default_env'];
  return path === 'use' || path === 'rm' ? envs : [];
}
