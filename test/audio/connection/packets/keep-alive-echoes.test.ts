import { describe, expect, test, vi } from 'vitest';
import { createSpeechProbe } from '../../../../src/audio/connection/packets/keep-alive-echoes.ts';

function probing() {
  let nowMs = 0;
  const [send, onSilence] = [vi.fn(), vi.fn()];
  const probe = createSpeechProbe(send, onSilence, () => nowMs);
  return {
    probe,
    send,
    onSilence,
    /** Packets until some are found not to have arrived; the number of those. */
    speak(packets: number): { readonly said: number; readonly unheard: number } {
      for (let said = 1; said <= packets; said++) {
        nowMs += 20;
        const unheard = probe.packetSent();
        if (unheard > 0) return { said, unheard };
      }
      return { said: packets, unheard: 0 };
    },
    /** Turns until speech goes on. */
    wait(most = 10_000): number {
      for (let turns = 0; turns < most; turns++) {
        nowMs += 20;
        if (!probe.isHeld()) return turns;
      }
      return most;
    },
    /** Turns in doubt after the last packet, until it is over; with the packets that have not arrived, if some have not. */
    doubt(most = 10_000): { readonly turns: number; readonly unheard: number } {
      for (let turns = 0; turns < most; turns++) {
        nowMs += 20;
        if (!probe.isInDoubt()) return { turns, unheard: 0 };
        const unheard = probe.ask();
        if (unheard > 0) return { turns, unheard };
      }
      return { turns: most, unheard: 0 };
    },
  };
}

describe('speech to a voice server', () => {
  test('that never sent a keep-alive back is not probed and never held', () => {
    const { probe, speak, send } = probing();
    expect(speak(5_000)).toEqual({ said: 5_000, unheard: 0 });
    expect(send).not.toHaveBeenCalled();
    expect(probe.isHeld()).toBe(false);
  });

  test('that answers no more is noticed within two seconds: what was said since the last answer counts as unheard', () => {
    const { probe, speak } = probing();
    probe.echoed();
    speak(30);
    probe.echoed();
    expect(speak(500)).toEqual({ said: 95, unheard: 95 });
    expect(probe.isHeld()).toBe(true);
  });

  test('goes on after eight seconds without an answer, which is told once, and is held no more before the next one', () => {
    const { probe, speak, wait, onSilence } = probing();
    probe.echoed();
    speak(500);
    expect(onSilence).not.toHaveBeenCalled();
    expect(wait()).toBe(400);
    expect(onSilence).toHaveBeenCalledOnce();
    expect(speak(10_000)).toEqual({ said: 10_000, unheard: 0 });
  });

  test('is held once a minute at most, where only some probes are answered', () => {
    const { probe, speak } = probing();
    let held = 0;
    // Ten minutes.
    for (let i = 0; i < 300; i++) {
      probe.echoed();
      if (speak(100).unheard > 0) held += 1;
    }
    expect(held).toBe(10);
  });

  test('that fell silent in the last seconds is noticed within two seconds, and what was said since counts as unheard', () => {
    const { probe, speak, doubt } = probing();
    probe.echoed();
    speak(40);
    const { turns, unheard } = doubt();
    expect({ unheard, isSoon: turns <= 100 }).toEqual({ unheard: 40, isSoon: true });
    expect(probe.isHeld()).toBe(true);
  });

  test('is probed with its first packet after a silence, so that of a word it is known as well', () => {
    const { probe, speak, doubt, send } = probing();
    probe.echoed();
    probe.spurtEnded();
    speak(15);
    expect(send).toHaveBeenCalledOnce();
    expect(doubt().unheard).toBe(15);
  });
});
