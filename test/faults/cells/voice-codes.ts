import { type Cell, SPOKEN, TOLD, type Wanted, type When } from '../cell.ts';

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-close-event-codes */
const CODES = [4001, 4002, 4003, 4004, 4005, 4006, 4009, 4011, 4012, 4014, 4015, 4016, 4017, 4020, 4021, 4022];

const MOMENTS: readonly When[] = ['connecting', 'speaking', 'idle'];

/** A kick sends both codes too. The main gateway reports the kick within seconds, so the bot waits for that. */
const ASK_WHY_MS = 12_000;
const EXPLAINED: Readonly<Record<number, Wanted>> = {
  4014: {
    ...SPOKEN,
    recoveryMs: ASK_WHY_MS,
    because: 'also sent for a kick, of which Discord tells later: 9 s to hear',
  },
  4022: { ...TOLD, because: 'the call is over, and is not to be joined again' },
};

function wantedFor(code: number, when: When): Wanted {
  const explained = EXPLAINED[code] ?? SPOKEN;
  // A text after the end of a call starts a new call.
  if (when === 'idle' && code === 4022)
    return {
      ...SPOKEN,
      second: 'spoken or told',
      bot: 'either',
      recoveryMs: ASK_WHY_MS,
      because: explained.because ?? '',
    };
  return explained;
}

export const VOICE_CODES: readonly Cell[] = CODES.flatMap((code) =>
  MOMENTS.map(
    (when): Cell => ({
      group: 'The voice gateway closes with a code',
      fault: String(code),
      when,
      inject({ world, client }) {
        const { settings } = world.voiceServer;
        if (when === 'connecting') Object.assign(settings, { closeOnIdentify: code, closeOnIdentifyTimes: 1 });
        else world.voiceServer.cut(client, code);
      },
      wanted: wantedFor(code, when),
    }),
  ),
);
