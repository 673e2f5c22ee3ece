declare module 'seek-bzip' {
  interface Input {
    readByte(): number;
    read(buffer: Uint8Array, at: number, length: number): number;
    eof(): boolean;
  }
  interface Output {
    writeByte(byte: number): void;
  }
  const bzip: { decode(input: Input, output: Output, multistream?: boolean): void };
  export default bzip;
}
