/** Spans and metrics of an agent for OpenTelemetry. Loaded only when telemetry is on. */
export { AgentTelemetry, type TelemetrySetup } from './agent-telemetry.ts';
export { connectToApi } from './connect-to-api.ts';
export type {
  Attributes,
  AttributeValue,
  Metric,
  SpanStart,
  TelemetryPort,
  TelemetrySpan,
} from './telemetry-port.ts';
