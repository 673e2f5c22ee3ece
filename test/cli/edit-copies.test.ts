import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withSettings } from './inside.ts';
import { type VoiceProgram, voiceProgram } from './voice-program.ts';

/* What `voice config edit` keeps where it cannot take the changes: keys are in it. */

const TEXT = 'api_url = "https://a.example"\napi_key = "secret"\n';
const folder = (voice: { home: string }) => join(voice.home, '.voice');
const file = (voice: { home: string }) => join(folder(voice), 'voice.toml');
const kept = (voice: { home: string }) => readdirSync(folder(voice)).filter((name) => name.startsWith('.edit-'));

/** A program whose last edit left a broken text. */
async function afterBrokenEdit(): Promise<VoiceProgram> {
  const voice = await voiceProgram();
  mkdirSync(folder(voice), { mode: 0o700 });
  writeFileSync(file(voice), TEXT, { mode: 0o600 });
  const { code, stderr } = await edit(voice, 'auth_header_prefix = "Token');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Your changes are kept in ~\/\.voice\/\.edit-\w{6}\/voice\.toml; /);
  expect(readFileSync(file(voice), 'utf8')).toBe(TEXT);
  return voice;
}

/** Adds a line to what the editor is given. */
function edit(voice: VoiceProgram, line: string) {
  return voice.run(['config', 'edit'], { env: { VISUAL: `f() { echo '${line}' >>"$1"; }; f` } });
}

describe('changes that could not be taken', () => {
  test('are offered by the next edit, and gone when that could be saved', async () => {
    const voice = await afterBrokenEdit();
    const { code, screen } = await voice.inTerminal(['config', 'edit'], {
      env: { VISUAL: `sed -i 's/"Token/"Token"/'` },
      steps: [[/Go on with them\? \[y\/N\] /, 'y\r']],
    });
    expect(screen).toMatch(/^Changes of an earlier edit are kept in ~\/\.voice\/\.edit-\w{6}\/voice\.toml\./);
    expect(screen).not.toContain('was changed since');
    expect(code).toBe(0);
    expect(readFileSync(file(voice), 'utf8')).toBe(`${TEXT}auth_header_prefix = "Token"\n`);
    expect(readdirSync(folder(voice))).toEqual(['voice.toml']);
  });

  test('stay kept while they are still broken, and when the editor fails', async () => {
    const voice = await afterBrokenEdit();
    for (const VISUAL of ['true', 'false']) {
      const { code } = await voice.inTerminal(['config', 'edit'], {
        env: { VISUAL },
        steps: [[/Go on with them\? \[y\/N\] /, 'y\r']],
      });
      expect(code).toBe(VISUAL === 'true' ? 2 : 1);
      expect(kept(voice)).toHaveLength(1);
      expect(readFileSync(join(folder(voice), ...kept(voice), 'voice.toml'), 'utf8')).toContain('"Token\n');
    }
  });

  test('are offered with a word where the file has been changed since', async () => {
    const voice = await afterBrokenEdit();
    expect((await voice.run(['config', 'add', 'meanwhile'])).code).toBe(0);
    const answered = (answer: string) =>
      voice.inTerminal(['config', 'edit'], {
        columns: 200,
        env: { VISUAL: 'true' },
        steps: [[/Go on with them\? \[y\/N\] /, answer]],
      });
    // Also where somebody went on with them, and they are kept once more.
    for (const answer of ['y\r', '\r']) {
      const { screen } = await answered(answer);
      expect(screen).toContain('~/.voice/voice.toml was changed since: they would take the place of all that it holds');
      expect(screen.includes('Nothing was changed.')).toBe(answer === '\r');
      expect(kept(voice)).toHaveLength(1);
    }
  });

  test('do not outlive the next edit that is saved, also one by a script', async () => {
    const voice = await afterBrokenEdit();
    const { code, stderr } = await edit(voice, 'auth_header_prefix = "Token"');
    expect(code).toBe(0);
    expect(stderr).toMatch(/Saved ~\/\.voice\/voice\.toml\.\nRemoved ~\/\.voice\/\.edit-\w{6}\/voice\.toml, kept by/);
    expect(readFileSync(file(voice), 'utf8')).toBe(`${TEXT}auth_header_prefix = "Token"\n`);
    expect(readdirSync(folder(voice))).toEqual(['voice.toml']);
  });

  test('are not taken from an editor that is still open', async () => {
    const voice = await afterBrokenEdit();
    const inner = `voice config edit; ls -d ~/.voice/.edit-*`;
    const VISUAL = `f() { [ -e ~/within ] && { echo '# inner' >>"$1"; exit; }; touch ~/within; ${inner} >~/left; echo '# outer' >>"$1"; }; f`;
    const { code, stderr } = await voice.run(['config', 'edit'], { env: { VISUAL } });
    expect(stderr).toContain('was changed by someone else in the meantime');
    expect(code).toBe(1);
    expect(readFileSync(join(voice.home, 'left'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(readFileSync(join(folder(voice), ...kept(voice), 'voice.toml'), 'utf8')).toBe(`${TEXT}# outer\n`);
  });

  test.each([[['logout']], [['config', 'rm', 'a', '--force']]])('go with the key: %j', async (args) => {
    const { voice, file: path } = await withSettings(`${TEXT}[env.a]\napi_key = "k"\n`);
    // As this version keeps them, and as earlier ones did.
    await voice.run(['config', 'edit'], { env: { VISUAL: `sed -i '$aapi_url = '` } });
    for (const name of kept(voice)) writeFileSync(join(folder(voice), name, 'voice.toml~'), TEXT);
    mkdirSync(join(folder(voice), '.edit-Ab12Cd'));
    writeFileSync(join(folder(voice), '.edit-Ab12Cd', 'voice.toml'), TEXT);
    const { code, stderr } = await voice.run(args);
    expect(code).toBe(0);
    expect(stderr.match(/^Removed ~\/\.voice\/\.edit-\w{6}\/voice\.toml, .* may have held the key\.$/gm)).toHaveLength(
      2,
    );
    expect(readdirSync(folder(voice))).toEqual(['voice.toml']);
    expect(existsSync(path)).toBe(true);
  });

  test('in an open editor are named by logout', async () => {
    const voice = await voiceProgram();
    mkdirSync(folder(voice), { mode: 0o700 });
    writeFileSync(file(voice), TEXT, { mode: 0o600 });
    const { stderr } = await voice.start(['config', 'edit'], { env: { VISUAL: 'voice logout #' } });
    expect(stderr).toMatch(
      /warning: voice config edit is open: ~\/\.voice\/\.edit-\w{6}\/voice\.toml may hold the key/,
    );
    expect(readdirSync(folder(voice))).toEqual(['voice.toml']);
  });
});
