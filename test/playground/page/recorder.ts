declare global {
  var heardBlocks: number[][];
}

interface Node {
  connect(to: unknown, ...more: unknown[]): unknown;
  readonly context: { readonly audioWorklet: { addModule(url: string): Promise<void> } };
}
interface AudioScope {
  AudioNode: { prototype: Node };
  AudioDestinationNode: new () => object;
  AudioWorkletNode: new (
    context: unknown,
    name: string,
  ) => Node & { readonly port: { onmessage: (event: { data: number[] }) => void } };
}

/**
 * Runs in the page, which has to bypass its policy for that: records all that goes to its loudspeakers. A recorder on the
 * page's main thread would miss what is played while the page is busy.
 */
export function recordSound(): void {
  globalThis.heardBlocks = [];
  const recorder = `
    class Recorder extends AudioWorkletProcessor {
      constructor() {
        super();
        this.block = [];
      }
      process([[input]]) {
        this.block.push(...(input ?? new Float32Array(128)));
        if (this.block.length >= 4800) this.port.postMessage(this.block.splice(0));
        return true;
      }
    }
    registerProcessor('recorder', Recorder);
  `;
  const scope = globalThis as unknown as AudioScope;
  const { connect } = scope.AudioNode.prototype;
  scope.AudioNode.prototype.connect = function (this: Node, to: unknown, ...more: unknown[]) {
    if (to instanceof scope.AudioDestinationNode) {
      void this.context.audioWorklet
        .addModule(URL.createObjectURL(new Blob([recorder], { type: 'text/javascript' })))
        .then(() => {
          const node = new scope.AudioWorkletNode(this.context, 'recorder');
          node.port.onmessage = ({ data }) => globalThis.heardBlocks.push(data);
          connect.call(this, node);
        });
    }
    return connect.call(this, to, ...more);
  };
}
