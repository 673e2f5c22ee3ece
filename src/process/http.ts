/** An `import` of node:http reads every export, so Node loads its WebSocket and fetch: 12 MB that Crier never uses. */
export const { createServer } = process.getBuiltinModule('node:http');
