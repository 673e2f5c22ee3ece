/**
 * Node's HTTP server. An `import` would load Node's WebSocket, and with it Node's fetch: 12 MB that no program here
 * uses.
 */
export const { createServer } = process.getBuiltinModule('node:http');
