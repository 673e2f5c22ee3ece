/* Runs in the page: records all that goes to its loudspeakers, in a worklet. On the page's main thread, a recorder would miss
   what is played while the page is busy. */

globalThis.heardBlocks = [];

const RECORDER = `
  class Recorder extends AudioWorkletProcessor {
    block = [];
    process([[input]]) {
      this.block.push(...(input ?? new Float32Array(128)));
      if (this.block.length >= 4800) this.port.postMessage(this.block.splice(0));
      return true;
    }
  }
  registerProcessor('recorder', Recorder);
`;
const { connect } = AudioNode.prototype;

async function record(node) {
  await node.context.audioWorklet.addModule(URL.createObjectURL(new Blob([RECORDER], { type: 'text/javascript' })));
  const recorder = new AudioWorkletNode(node.context, 'recorder');
  recorder.port.onmessage = ({ data }) => globalThis.heardBlocks.push(data);
  connect.call(node, recorder);
}

AudioNode.prototype.connect = function (to, ...more) {
  if (to instanceof AudioDestinationNode) void record(this);
  return connect.call(this, to, ...more);
};
