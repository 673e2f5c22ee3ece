/** An `import` would also load Node's WebSocket and fetch: 12 MB that no program of Crier uses. */
export const { createServer } = process.getBuiltinModule('node:http');
