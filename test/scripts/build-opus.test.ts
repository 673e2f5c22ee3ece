import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCheckout } from './checkout.ts';

/** A stand-in for the compiled add-on: "encodes" by keeping the samples, so that only the script is tested here. */
const lossless = `exports.OpusEncoder = class { encode(pcm) { return pcm; } decode(packet) { return packet; } };`;
const silent = `exports.OpusEncoder = class { encode(pcm) { return pcm; } decode(packet) { return Buffer.alloc(packet.length); } };`;

function checkoutWith(addOn: string, name = 'crier') {
  const checkout = makeCheckout({ name });
  checkout.write('node_modules/@discordjs/opus/package.json', '{"name":"@discordjs/opus","main":"index.js"}');
  checkout.write('node_modules/@discordjs/opus/index.js', addOn);
  return checkout;
}

describe('building the native Opus encoder', () => {
  test('does nothing when it loads and encodes already', () => {
    const { status, stdout, stderr } = checkoutWith(lossless).run('build-opus.mjs');
    expect(stdout).toMatch(/^@discordjs\/opus is already built for Node [\d.]+: encodes at \d+ µs a frame\.\n$/);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('compiles where no path has a blank or a bracket, which make cannot take, and leaves nothing there', () => {
    const checkout = checkoutWith(`module.exports = require('./prebuild/opus.js');`, 'my crier (copy)');
    checkout.write('node_modules/node-addon-api/package.json', '{"name":"node-addon-api"}');
    checkout.write('node_modules/@discordjs/node-pre-gyp/package.json', '{"type":"commonjs"}');
    const compiler = `const fs = require('node:fs');
      fs.writeFileSync(process.env.HOME + '/seen', [process.cwd(), require.resolve('node-addon-api/package.json', { paths: ['.'] }), ...process.argv.slice(2)].join('\\n'));
      fs.mkdirSync('prebuild');
      fs.writeFileSync('prebuild/opus.js', ${JSON.stringify(lossless)});`;
    checkout.write('node_modules/@discordjs/node-pre-gyp/bin/node-pre-gyp', compiler);
    for (const tool of ['g++', 'make', 'python3']) {
      checkout.write(join('bin', tool), '#!/bin/sh\n', { executable: true });
    }
    const { status, stdout, stderr } = checkout.run('build-opus.mjs', { env: { HOME: checkout.folder } });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/is built for Node [\d.]+: encodes at \d+ µs a frame/);
    const seen = readFileSync(join(checkout.folder, 'seen'), 'utf8');
    expect(seen).not.toMatch(/[ ()]/);
    expect(existsSync(seen.split('\n')[0] ?? '')).toBe(false);
  });

  test('is not content with an encoder that loads but gives silence', () => {
    const { status, stderr } = checkoutWith(silent).run('build-opus.mjs');
    expect(status).toBe(1);
    expect(stderr).toContain('needs g++, make, python3');
  });
});
