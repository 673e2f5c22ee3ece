import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { runningService } from './running-service.ts';

/** Half of a request: the server waits for the rest. */
async function sendHalf(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('GET /half');
}

test('ends although requests hang on all of its ports', async () => {
  const service = await runningService();
  const { url, audioUrl, dashboardUrl } = service;
  await Promise.all([url, audioUrl, dashboardUrl].map(sendHalf));
  // Answered after the halves were sent: they have arrived.
  await service.call('GET', '/api/v1/models');
  // It would wait for them for ever.
  await service.close();
});
