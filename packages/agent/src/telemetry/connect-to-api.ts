/** Reports to the providers that the host registered with `@opentelemetry/api`. The host owns exporters and sampling. */
import type * as Api from '@opentelemetry/api';
import { VERSION } from '../engine/lines.ts';
import type { Attributes, Metric, TelemetryPort, TelemetrySpan } from './telemetry-port.ts';
import { omitUndefined } from '@heddle/core';

/** Loads `@opentelemetry/api`. Without a registered provider, the port does nothing. */
export async function connectToApi(): Promise<TelemetryPort> {
  const { context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import(
    '@opentelemetry/api'
  );
  const tracer = trace.getTracer('heddle', VERSION);
  const meter = metrics.getMeter('heddle', VERSION);
  const spans = new WeakMap<TelemetrySpan, Api.Span>();
  const instruments = new Map<string, (value: number, attributes: Api.Attributes) => void>();
  return {
    startSpan(name, { kind, parent, attributes, startMs }) {
      const above = parent && spans.get(parent);
      const span = tracer.startSpan(
        name,
        {
          kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
          attributes: toApi(attributes),
          ...omitUndefined({ startTime: startMs }),
        },
        above ? trace.setSpan(ROOT_CONTEXT, above) : context.active(),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      const started: TelemetrySpan = {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end({ attributes: more = {}, errorType } = {}) {
          span.setAttributes(toApi({ ...more, 'error.type': errorType }));
          if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: errorType });
          span.end();
        },
      };
      spans.set(started, span);
      return started;
    },
    record(metric, value, attributes) {
      const write = instruments.get(metric.name) ?? createInstrument(meter, metric);
      instruments.set(metric.name, write);
      write(value, toApi(attributes));
    },
  };
}

function createInstrument(
  meter: Api.Meter,
  { name, kind, unit, description, bounds }: Metric,
): (value: number, attributes: Api.Attributes) => void {
  if (kind === 'counter') {
    const counter = meter.createCounter(name, { unit, description });
    return (value, attributes) => counter.add(value, attributes);
  }
  const advice = bounds && { explicitBucketBoundaries: [...bounds] };
  const histogram = meter.createHistogram(name, { unit, description, ...(advice && { advice }) });
  return (value, attributes) => histogram.record(value, attributes);
}

function toApi(attributes: Attributes): Api.Attributes {
  const copy: Api.Attributes = {};
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) copy[name] = typeof value === 'object' ? [...value] : value;
  return copy;
}
