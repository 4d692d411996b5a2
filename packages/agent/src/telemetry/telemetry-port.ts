/**
 * The port through which an agent reports spans and metrics, with the names of the OpenTelemetry conventions for GenAI.
 *
 * Contract:
 * - No function throws or waits. A telemetry backend never changes a run.
 * - Attributes with the value `undefined` are left out.
 */
export interface TelemetryPort {
  startSpan(name: string, start: SpanStart): TelemetrySpan;
  record(metric: Metric, value: number, attributes: Attributes): void;
}

export type AttributeValue = string | number | boolean | readonly string[];

export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export interface SpanStart {
  /** `client`: a call to another service, such as a model. */
  readonly kind: 'internal' | 'client';
  /** Undefined: the port selects the parent, such as the span that is active in the host. */
  readonly parent?: TelemetrySpan | undefined;
  readonly attributes: Attributes;
  /** In milliseconds since 1970. By default now. */
  readonly startMs?: number | undefined;
}

export interface TelemetrySpan {
  /** The identity of this span in the format of W3C Trace Context. */
  readonly traceparent: string;
  /** `errorType` marks the span as failed. */
  end(end?: { readonly attributes?: Attributes; readonly errorType?: string | undefined }): void;
}

export interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'histogram';
  readonly unit: string;
  readonly description: string;
  /** The bounds of a histogram. */
  readonly bounds?: readonly number[];
}

/** The tokens of each model call. The bounds are those of the conventions. */
export const TOKEN_USAGE: Metric = {
  name: 'gen_ai.client.token.usage',
  kind: 'histogram',
  unit: '{token}',
  description: 'Tokens of a model call',
  bounds: [
    1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
  ],
};

export const OPERATION_DURATION: Metric = {
  name: 'gen_ai.client.operation.duration',
  kind: 'histogram',
  unit: 's',
  description: 'Duration of a model call',
  bounds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
};

/** Counted when a turn ends, with all its subagents. A model without a known price is not counted. */
export const COST: Metric = {
  name: 'heddle.cost.usage',
  kind: 'counter',
  unit: 'USD',
  description: 'Cost of model calls',
};
