import { ViewProjection } from '@palimpsest/view';
import { ordinaryLog } from './logs.js';
const log = ordinaryLog(1_000_000);
for (let r = 0; r < 4; r++) { const t = performance.now(); const p = new ViewProjection(); for (const e of log) p.append(e); const d = performance.now() - t;
 const t2 = performance.now(); const m = new Map(); const a=[]; for (const e of log) { a.push(e); m.set(e.id, e);} const f = performance.now() - t2; console.log(d.toFixed(0), f.toFixed(0), (d/f).toFixed(2), p.view.events.length + m.size + a.length); }
