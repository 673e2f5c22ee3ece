import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/app/log.ts';
import { SpeechError } from '../../src/speech/errors.ts';

function logging(format: 'json' | 'pretty' = 'json') {
  let written = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      // Of a terminal in colors, the words.
      written += stripVTControlCharacters(String(chunk));
      done();
    },
  });
  const terminal = Object.assign(destination, { isTTY: format === 'pretty' });
  return { ...createLog('debug', terminal), written: () => written };
}

describe('the log', () => {
  it.each(['json', 'pretty'] as const)('never writes a concealed secret, wherever it appears (%s)', (format) => {
    const { log, conceal, written } = logging(format);
    conceal('top"secret');
    log.info({ deep: { er: ['top"secret'] }, err: new Error('refused top"secret') }, 'with top"secret inside');
    expect(written()).toContain('[concealed]');
    expect(written()).not.toContain('secret');
  });

  it('tells what the speech service answered on that line too; a stack is for what nobody expected', () => {
    const answered = logging('pretty');
    const cause = new Error('connect ECONNREFUSED');
    const err = new SpeechError({ kind: 'invalid-api-key', message: 'GET /api/v1/models: 401', status: 401, cause });
    answered.log.warn({ err }, 'Not listed');
    expect(answered.written()).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] WARN: Not listed \{"err":\{.*"kind":"invalid-api-key".*ECONNREFUSED.*\}\}\n$/,
    );
    expect(answered.written()).not.toContain('    at ');
    const unexpected = logging('pretty');
    unexpected.log.warn({ err: new SpeechError({ kind: 'bad-response', message: 'No list', cause }) }, 'Not listed');
    expect(unexpected.written()).toContain('    at ');
  });

  it('conceals fields that carry keys and tokens by their names', () => {
    const { log, written } = logging();
    log.info({ token: 'aaaa', request: { authorization: 'bbbb' }, options: { call: { apiKey: 'cccc' } } }, 'sent');
    expect(written()).not.toMatch(/aaaa|bbbb|cccc/);
  });

  it('leaves out the token in the address of a failed webhook call, and the body with what was said', () => {
    const { log, written } = logging();
    const error = Object.assign(new Error('POST /webhooks/123456/aW50-token.x/messages failed'), {
      code: 10008,
      url: 'https://discord.com/api/v10/interactions/77/ZZtokenZZ/callback',
      requestBody: { json: { content: 'what was said' } },
    });
    log.warn({ err: error }, 'failed');
    expect(written()).toContain('10008');
    expect(written()).not.toMatch(/aW50-token|ZZtokenZZ|what was said/);
  });
});
