// Makes the blind listening sheet, docs/engineering/listening.md: node scripts/listening.mjs. Each sentence is spoken by Flite and by
// eSpeak NG, as the built-in voices speak it, in an order that only the key tells.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMp3Encoder } from 'wasm-media-encoders';
import { TIMBRES } from '../src/speech-service/api/catalog.ts';
import { loadEspeak } from '../src/speech-service/synthesis/embedded/espeak.ts';
import { loadFlite } from '../src/speech-service/synthesis/embedded/flite.ts';
import { renderSpeech } from '../src/speech-service/synthesis/embedded/render.ts';

const SENTENCES = [
  ['aria', 'Dinner in five! Please bring the bread.'],
  ['aria', 'Alice joined the channel.'],
  ['aria', 'The raid starts at 8:30 p.m. on Friday, October 3rd.'],
  ['aria', 'Are you coming, or should we go without you?'],
  ['ash', 'Bob said: I lost my sword in the swamp, and now a frog has it.'],
  ['ash', 'That was 1,250 points, so you are in second place.'],
  ['ash', 'He paid $14.99 for it, shipping included.'],
  ['ash', 'Dr. Smith lives at 12 Baker St. in London.'],
  ['dorian', 'Wait for me at the north gate, and do not open it.'],
  ['dorian', 'lol, brb, my cat is on the keyboard again'],
  ['dorian', 'She sells sea shells, though the tough coughs as he ploughs through.'],
  ['dorian', 'Thanks for playing tonight. Same time next week?'],
];
/** Speech of these synthesizers reaches up to 11 kHz: more bits are not heard. */
const KBIT_PER_SECOND = 48;
const RATE_HZ = 24_000;

const folder = join(import.meta.dirname, '..', 'docs', 'engineering');
const audio = join(folder, '..', 'audio');

const [espeak, flite, mp3] = await Promise.all([loadEspeak(), loadFlite(), createMp3Encoder()]);
if (flite === undefined) throw new Error('Flite is missing: run npm ci.');

function write(name, voice, text, synthesizers) {
  const job = { text, timbre: TIMBRES[voice], tags: 'none', multilingual: false, sampleRateHz: RATE_HZ, speed: 1 };
  mp3.configure({ channels: 1, sampleRate: RATE_HZ, outputSampleRate: RATE_HZ, bitrate: KBIT_PER_SECOND });
  const speech = mp3.encode([renderSpeech(job, synthesizers)]).slice();
  writeFileSync(join(audio, name), Buffer.concat([speech, mp3.finalize()]));
}

// Of the digest's bytes, 26 is one that puts each engine first as often, for each voice.
const rows = SENTENCES.map(([voice, text], index) => {
  const number = String(index + 1).padStart(2, '0');
  const isFliteFirst = createHash('sha256').update(text).digest()[26] % 2 === 0;
  const engines = isFliteFirst ? ['Flite', 'eSpeak NG'] : ['eSpeak NG', 'Flite'];
  for (const [at, engine] of engines.entries()) {
    write(`listening-${number}-${'ab'[at]}.mp3`, voice, text, engine === 'Flite' ? { espeak, flite } : { espeak });
  }
  return { number, voice, text, engines };
});

const table = (headings, cells) =>
  [headings, headings.map(() => '---'), ...rows.map(cells)].map((row) => `| ${row.join(' | ')} |`).join('\n');
const link = (number, letter) => `[${letter.toUpperCase()}](../audio/listening-${number}-${letter}.mp3)`;

writeFileSync(
  join(folder, 'listening.md'),
  `# A blind listening sheet

Which of the two synthesizers of the built-in voice sounds better in English? Listen to A and B of each sentence, and write down for each
pair: A, B or no difference, and any word that you did not understand. Only then open the [key](listening-key.md). Three listeners or more
say something; nobody has judged yet.

${table(['#', 'sentence', 'listen', '', 'better'], ({ number, text }) => [number, text, link(number, 'a'), link(number, 'b'), ''])}

\`node scripts/listening.mjs\` makes the files, this page and the key.
`,
);
writeFileSync(
  join(folder, 'listening-key.md'),
  `# Key to the listening sheet

For after [listening](listening.md). If eSpeak NG wins clearly for a voice, take that voice's Flite voice out of \`TIMBRES\` in
\`src/speech-service/api/catalog.ts\`.

${table(['#', 'voice', 'A', 'B'], ({ number, voice, engines }) => [number, voice, ...engines])}
`,
);
