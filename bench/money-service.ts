// The embedded speech service as a process that can be killed: DATA_FOLDER API_PORT AUDIO_PORT AUDIO_BASE_URL.
import { startSpeechService } from '../src/speech-service/server.ts';

const [dataDir = '', port, audioPort, audioBaseUrl = ''] = process.argv.slice(2);
await startSpeechService({
  dataDir,
  port: Number(port),
  audioPort: Number(audioPort),
  audioBaseUrl,
  dashboardPort: 'off',
  apiKey: process.env.SPEECH_SERVICE_KEY ?? '',
  requestsPerMinute: 1_000_000,
});
// Ends with the process that started it, however that ends.
process.once('disconnect', () => process.exit());
process.send?.('ready');
