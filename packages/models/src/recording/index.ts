/**
 * Recordings: the requests and responses of a session as a file that can be replayed without the model.
 * `write` records any port, `play` is the port that replays a file, and `text` prepares texts so that both
 * can be compared.
 */
export {
  type RecordingPort as Recorded,
  recordingPort,
  type RecordingSetup,
} from './write/recording-port.ts';
export { replayPort, type ReplayPort } from './play/replay-port.ts';
export { type MachinePlace as Place, findMachinePlaces } from './text/places.ts';
