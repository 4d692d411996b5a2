/** Sends spans and metrics as OTLP over HTTP, encoded as JSON. Written here to keep the OpenTelemetry SDK out of the program. */
import { randomBytes } from 'node:crypto';
import type {
  Attributes,
  AttributeValue,
  Metric,
  SpanStart,
  TelemetryPort,
  TelemetrySpan,
} from '@heddle/agent/telemetry';
import { errorMessage, omitUndefined } from '@heddle/core';

export interface ExporterSetup {
  readonly resource: Attributes;
  /** The addresses of the receivers. Undefined: that signal is not sent. */
  readonly traces: string | undefined;
  readonly metrics: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The parent of turns, in the format of W3C Trace Context. */
  readonly parent: string | undefined;
  /** The version of Heddle. */
  readonly version: string;
  /** Receives the first failure, as a sentence. */
  readonly onFailure: (message: string) => void;
}

/** Spans wait this long for others, so that one request carries several. */
const BATCH_DELAY_MS = 2_000;
const MAX_BATCH = 512;
/** When a receiver does not answer, later spans are dropped. */
const MAX_WAITING = 2_048;
const REQUEST_LIMIT_MS = 10_000;

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

interface MetricPoint {
  readonly metric: Metric;
  readonly attributes: Attributes;
  count: number;
  sum: number;
  /** The number of values in each bucket. A counter has none. */
  readonly buckets: number[];
}

/** Contract: nothing here throws or makes a run wait. `close` waits for the last request up to its limit. */
export class OtlpExporter implements TelemetryPort {
  readonly #setup: ExporterSetup;
  readonly #startedAt = Date.now();
  readonly #points = new Map<string, MetricPoint>();
  #waiting: object[] = [];
  #hasNewPoints = false;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #hasFailed = false;
  readonly #closing = new AbortController();

  constructor(setup: ExporterSetup) {
    this.#setup = setup;
  }

  startSpan(name: string, { kind, parent, attributes, startMs = Date.now() }: SpanStart): TelemetrySpan {
    const [, parentTrace, parentSpanId] =
      TRACEPARENT.exec(parent?.traceparent ?? this.#setup.parent ?? '') ?? [];
    const traceId = parentTrace ?? randomBytes(16).toString('hex');
    const spanId = randomBytes(8).toString('hex');
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end: ({ attributes: more, errorType } = {}) => {
        if (this.#setup.traces === undefined || this.#waiting.length >= MAX_WAITING) return;
        this.#waiting.push({
          traceId,
          spanId,
          ...omitUndefined({ parentSpanId }),
          name,
          kind: kind === 'client' ? 3 : 1,
          startTimeUnixNano: toNanoseconds(startMs),
          endTimeUnixNano: toNanoseconds(Math.max(Date.now(), startMs)),
          attributes: encodeAttributes({ ...attributes, ...more, 'error.type': errorType }),
          status: errorType === undefined ? {} : { code: 2, message: errorType },
          flags: 1,
        });
        this.#schedule();
      },
    };
  }

  record(metric: Metric, value: number, attributes: Attributes): void {
    if (this.#setup.metrics === undefined) return;
    const key = JSON.stringify([metric.name, attributes]);
    const { bounds = [] } = metric;
    const buckets = metric.kind === 'histogram' ? Array.from({ length: bounds.length + 1 }, () => 0) : [];
    const point = this.#points.get(key) ?? { metric, attributes, count: 0, sum: 0, buckets };
    point.count += 1;
    point.sum += value;
    const above = bounds.findIndex((bound) => value <= bound);
    const bucket = above < 0 ? bounds.length : above;
    if (metric.kind === 'histogram') point.buckets[bucket] = (point.buckets[bucket] ?? 0) + 1;
    this.#points.set(key, point);
    this.#hasNewPoints = true;
    this.#schedule();
  }

  /** Sends the rest, and waits for it until the limit. */
  async close(limitMs: number): Promise<void> {
    clearTimeout(this.#timer);
    const limit = setTimeout(() => this.#closing.abort(), limitMs);
    while (this.#waiting.length > 0 || this.#hasNewPoints) await this.#flush();
    await this.#sending;
    clearTimeout(limit);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#flush(), BATCH_DELAY_MS).unref();
  }

  /** One request runs at a time. */
  #flush(): Promise<void> {
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#sendBatch());
    return this.#sending;
  }

  async #sendBatch(): Promise<void> {
    const spans = this.#waiting.splice(0, MAX_BATCH);
    const metrics = this.#hasNewPoints ? this.#encodeMetrics() : [];
    this.#hasNewPoints = false;
    const { traces, metrics: metricsUrl, resource, version } = this.#setup;
    const common = { resource: { attributes: encodeAttributes(resource) } };
    const scope = { name: 'heddle', version };
    await Promise.all([
      spans.length > 0 &&
        this.#post(traces, { resourceSpans: [{ ...common, scopeSpans: [{ scope, spans }] }] }),
      metrics.length > 0 &&
        this.#post(metricsUrl, { resourceMetrics: [{ ...common, scopeMetrics: [{ scope, metrics }] }] }),
    ]);
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** A batch that cannot be delivered is dropped. */
  async #post(url: string | undefined, body: object): Promise<void> {
    if (url === undefined) return;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...this.#setup.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(REQUEST_LIMIT_MS), this.#closing.signal]),
      });
      await response.body?.cancel();
      if (!response.ok) this.#fail(`${url} answered with status ${response.status}`);
    } catch (thrown) {
      this.#fail(`${url} cannot be reached (${errorMessage(thrown)})`);
    }
  }

  #fail(why: string): void {
    if (!this.#hasFailed) this.#setup.onFailure(`Telemetry is not delivered: ${why}.`);
    this.#hasFailed = true;
  }

  #encodeMetrics(): object[] {
    const times = {
      startTimeUnixNano: toNanoseconds(this.#startedAt),
      timeUnixNano: toNanoseconds(Date.now()),
    };
    const byMetric = Map.groupBy(this.#points.values(), ({ metric }) => metric);
    return [...byMetric].map(([{ name, unit, description, kind, bounds = [] }, points]) => {
      const dataPoints = points.map(({ attributes, count, sum, buckets }) => ({
        ...times,
        attributes: encodeAttributes(attributes),
        ...(kind === 'counter'
          ? { asDouble: sum }
          : { count: `${count}`, sum, bucketCounts: buckets.map(String), explicitBounds: bounds }),
      }));
      const data = {
        dataPoints,
        aggregationTemporality: CUMULATIVE,
        isMonotonic: kind === 'counter' || undefined,
      };
      return { name, unit, description, [kind === 'counter' ? 'sum' : 'histogram']: data };
    });
  }
}

/** Each value covers the time since the start of the program. */
const CUMULATIVE = 2;

/** 64-bit numbers are strings in the JSON encoding. */
function toNanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}
