/* Opus to samples: by the browser's own decoder (WebCodecs) where it has one, else by libopus in WebAssembly. */

export const SAMPLE_RATE_HZ = 48_000;

const CONFIG = { codec: 'opus', sampleRate: SAMPLE_RATE_HZ, numberOfChannels: 1 };

/** `onSamples(samples, frame)` is called for each frame, in order. */
export async function openDecoder(onSamples) {
  const isOwn = 'AudioDecoder' in globalThis && (await AudioDecoder.isConfigSupported(CONFIG)).supported;
  return isOwn ? ownDecoder(onSamples) : wasmDecoder(onSamples);
}

function ownDecoder(onSamples) {
  const frames = [];
  let decoder;
  const open = () => {
    decoder = new AudioDecoder({
      output(data) {
        const samples = new Float32Array(data.numberOfFrames);
        data.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
        data.close();
        const frame = frames.shift();
        if (frame) onSamples(samples, frame);
      },
      // A frame that is no Opus ends a decoder: the next frame gets another one.
      error: () => {},
    });
    decoder.configure(CONFIG);
  };
  open();
  return {
    name: 'WebCodecs',
    decode(frame) {
      if (decoder.state === 'closed') {
        frames.length = 0;
        open();
      }
      frames.push(frame);
      decoder.decode(new EncodedAudioChunk({ type: 'key', timestamp: frame.sequence * 20_000, data: frame.opus }));
    },
  };
}

async function wasmDecoder(onSamples) {
  const { createDecoder } = await import('/libopus/index.js');
  const decoder = await createDecoder({ channels: 1, sampleRate: SAMPLE_RATE_HZ });
  return {
    name: 'WASM',
    decode(frame) {
      onSamples(decoder.decodeFloat(frame.opus), frame);
    },
  };
}
