/**
 * Recordings: what a session and its model said to each other, as a file that plays again without the model. `write` makes
 * one around any port, `play` is the port that reads it, `text` is what both do to texts so that they can be compared.
 */
export {
  type RecordingPort as Recorded,
  recordingPort,
  type RecordingSetup,
} from './write/recording-port.ts';
export { replayPort, type ReplayPort } from './play/replay-port.ts';
export { type MachinePlace as Place, placesHere } from './text/places.ts';
