/** Texts of each kind that an agent meets, for the token estimate: the repository's own, generated, and written by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createRandom } from '@heddle/testing';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

/** One text for each file: sources are met one at a time, and each must be estimated well enough. */
export function sources(folder: string, extension: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension) && !name.includes('node_modules'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8'));
}

export function documents(): string[] {
  const names = [
    'README.md',
    'ARCHITECTURE.md',
    'GLOSSARY.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'AGENTS.md',
  ];
  const packages = readdirSync(path.join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`);
  return [...names, ...packages].map((name) => readFileSync(path.join(ROOT, name), 'utf8'));
}

/** Pretty and compact JSON: manifests, tool inputs, records of an API. */
export function jsonTexts(): string[] {
  const manifests = ['package.json', 'tsconfig.json', 'biome.json', 'packages/core/package.json'];
  const read = manifests.map((name) => readFileSync(path.join(ROOT, name), 'utf8'));
  const random = createRandom(7);
  const records = Array.from({ length: 200 }, (_, id) => ({
    id,
    name: WORDS[Math.floor(random() * WORDS.length)],
    path: `packages/${WORDS[Math.floor(random() * WORDS.length)]}/src/index.ts`,
    size: Math.floor(random() * 100_000),
    ratio: Number(random().toFixed(4)),
    tags: ['open', 'closed', null, true].filter(() => random() < 0.6),
    at: new Date(1_700_000_000_000 + Math.floor(random() * 1e10)).toISOString(),
  }));
  return [...read, JSON.stringify(records), JSON.stringify(records, null, 2)];
}

const WORDS = [
  'loop',
  'machine',
  'context',
  'history',
  'request',
  'answer',
  'session',
  'permission',
  'usage',
];

/** Random bytes as a server or a shell shows them. */
export function base64Texts(): string[] {
  const bytes = randomBytes(9_000, 11);
  const plain = bytes.toString('base64');
  return [
    plain,
    plain.replaceAll(/(.{76})/g, '$1\n'),
    `data:image/png;base64,${plain}`,
    bytes.toString('base64url'),
  ];
}

export function hexTexts(): string[] {
  const hex = randomBytes(6_000, 13).toString('hex');
  const hashes = hex.match(/.{64}/g) ?? [];
  const listing = hashes.map((hash, line) => `${hash}  src/file${line}.ts`).join('\n');
  return [hex, hex.toUpperCase(), hashes.join('\n'), listing, hex.replaceAll(/(..)/g, '$1 ')];
}

function randomBytes(count: number, seed: number): Buffer {
  const random = createRandom(seed);
  return Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
}

export const CHINESE: readonly string[] = [
  `春天来了，院子里的桃花一夜之间全开了。奶奶搬了一把竹椅坐在树下，一边择菜一边给我们讲她小时候的故事。她说那时候村子里只有一口井，
每天清早天还没亮，大人们就挑着水桶排队打水，井台上的青石板被磨得光滑发亮。我们听得入了神，连锅里的水烧开了都没有听见。`,
  `本次修改主要解决两个问题。第一，当历史记录超过上下文窗口时，程序会在发送请求之前自动压缩，而不是等到服务器返回错误。第二，工具的输出
如果超过限制，会被写入会话目录中的文件，模型看到的只是开头的一部分、总长度以及文件路径。请注意，如果磁盘已满，写入会失败，这时候我们保留
预览并说明原因。测试覆盖了所有的分支，包括网络中断、超时和取消。`,
  `根据国家统计局公布的数据，今年前三季度国内生产总值同比增长百分之五点二，其中第三产业增加值占比继续上升。专家认为，消费对经济增长的
贡献率明显提高，服务业恢复较快，但外部环境依然复杂严峻，部分中小企业的经营压力仍然较大，需要在税收、融资和用工等方面给予更多支持。`,
  `用户：运行测试时报错，提示找不到模块。
助手：我先看一下配置文件，然后检查依赖是否安装完整。错误信息显示路径解析失败，可能是因为大小写不一致。我已经把导入语句改成相对路径，并且
重新运行了一遍，现在四十二个测试全部通过。接下来是否需要我更新文档？`,
];

export const JAPANESE: readonly string[] = [
  `朝から降り続いていた雨が昼過ぎにようやく上がり、雲の切れ間から薄い日差しがこぼれはじめた。駅前の商店街では、店先に出した傘立てを
片付ける人の姿がちらほらと見える。私は濡れた靴のまま喫茶店に入り、窓際の席に腰を下ろして、熱いコーヒーを一杯頼んだ。隣の席では、学生らしい
二人が試験の話を小さな声で続けていた。`,
  `この変更では、会話の履歴がモデルの上限を超えそうになったとき、リクエストを送る前に自動で要約するようにしました。要約には、ユーザーの
意図、決定事項、変更したファイル、発生したエラーとその対処、現在の作業状況、次にやるべきことが含まれます。また、ツールの出力が大きすぎる場合は
セッション用のフォルダーに保存し、先頭の一部とファイルのパスだけをモデルに渡します。テストはすべて成功しています。`,
  `総務省が発表した調査によると、昨年度のインターネット利用率は前の年をわずかに上回り、特に六十歳以上の世代で伸びが目立った。一方で、
利用に不安を感じると答えた人の割合も増えており、個人情報の取り扱いや詐欺被害への対策を求める声が強まっている。政府は来年度までに相談窓口を
全国に設ける方針だ。`,
  `ユーザー：ビルドが途中で止まってしまいます。原因を調べてください。
アシスタント：ログを確認したところ、メモリー不足で処理が終了していました。並列数を減らして再実行した結果、問題なく完了しました。設定ファイルに
その値を保存しておきましょうか。`,
];
