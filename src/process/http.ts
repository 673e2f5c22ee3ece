/**
 * Node's HTTP server. To import `node:http` reads all of its exports, one of which is Node's own WebSocket: that loads Node's own
 * fetch, 12 MB that no program here uses.
 */
export const { createServer } = process.getBuiltinModule('node:http');
