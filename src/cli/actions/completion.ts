import type { Command } from 'commander';
import { MODEL_IDS } from '../../speech/interface/models.ts';
import { readConfigFile } from '../config/config-file.ts';
import { LAYER_KEYS } from '../config/settings.ts';
import { print } from '../terminal/terminal.ts';

/*
 * The shells only carry words: their completion is decided here, from the same definition the commands are read with,
 * so that completions are never behind it.
 */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# voice completion for bash: eval "$(voice completion bash)"
_voice_complete() {
  local tab=$'\\t' line words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$tab*}")
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
  for (const { value, about } of candidates(program, words, Object.keys(config.env))) {
    print(about === '' ? value : `${value}\t${about}`);
  }
}

/** The candidates for the last word; none for a text, and none for a file, which the shell completes. */
export function candidates(program: Command, words: readonly string[], envs: readonly string[]): Candidate[] {
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
