// Runs the embedded speech service as a process that can be killed. Arguments: DATA_FOLDER API_PORT AUDIO_PORT
// AUDIO_BASE_URL.
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
// The service ends when its parent process ends, even by a crash.
process.once('disconnect', () => process.exit());
process.send?.('ready');
