/**
 * The cost of pieces of text in tokens, by their length. The averages were measured with o200k over sources, documents,
 * manifests and random data. If kinds of text differed, the higher average counts.
 */

/** Tokens by length, from 1 character on; each further character costs `more`. */
export interface CharacterCosts {
  readonly steps: readonly number[];
  readonly more: number;
}

/** A word in small letters after a blank: most are a token of their own. */
export const SPACED: CharacterCosts = {
  steps: [1, 1, 1, 1.01, 1.02, 1.04, 1.04, 1.07, 1.12, 1.14, 1.2, 1.2, 1.3],
  more: 0.35,
};

/** One that begins a line, or follows another word or a digit. */
export const BARE: CharacterCosts = {
  steps: [1, 1, 1.06, 1.08, 1.09, 1.13, 1.25, 1.35, 1.75, 1.75],
  more: 0.25,
};

/** One after a sign (`.length`, `(value`, `_id`): the sign often stays alone. */
export const SIGNED: CharacterCosts = {
  steps: [1.03, 1.04, 1.22, 1.2, 1.35, 1.38, 1.55, 1.7, 1.9, 2.05],
  more: 0.25,
};

/** With one capital, after a blank or bare. */
export const CAPITAL: CharacterCosts = { steps: [1, 1.02, 1.05, 1.05, 1.07, 1.1, 1.13, 1.2, 1.5], more: 0.1 };
export const SIGNED_CAPITAL: CharacterCosts = {
  steps: [1.1, 1.4, 1.6, 1.75, 1.65, 1.65, 1.9, 2.1, 2.4],
  more: 0.15,
};

/** With several. */
export const SHOUTED: CharacterCosts = { steps: [1, 1, 1.2, 1.45, 1.75, 2, 2.2, 2.6, 3.1], more: 0.35 };

/** Letters that make no word: what was learned from words does not help. */
export const RANDOM: CharacterCosts = { steps: [1, 1.2, 1.92, 2.43, 3, 3.5], more: 0.57 };
/** The sign before them stays alone. */
export const SIGN_BEFORE_RANDOM = 0.85;

export const SIGNS: CharacterCosts = { steps: [1, 1, 1.04, 1.12, 1.45, 1.9], more: 0.45 };
/** Rules and borders: one sign again and again. */
export const RULER: CharacterCosts = { steps: [1], more: 0.06 };
export const BLANKS: CharacterCosts = { steps: [1], more: 0.02 };
/** Of a number, for every three digits. */
export const DIGITS = 1;

/** One character each. */
export const COMMON_HAN_COST = 0.42;
export const RARE_HAN_COST = 1.5;
export const HIRAGANA_COST = 0.76;
export const KATAKANA_COST = 0.62;
export const HANGUL_COST = 0.62;
export const WIDE_SIGN_COST = 0.95;
export const CYRILLIC_COST = 0.34;
export const OTHER_LETTER_COST = 0.5;
export const SYMBOL_COST = 1;
/** Half of a surrogate pair; an emoji is two of them. */
export const SURROGATE_COST = 1.05;
/** On top of its word. */
export const ACCENT_COST = 0.2;

export function costOf(length: number, { steps, more }: CharacterCosts): number {
  const known = steps.length;
  return length <= known ? (steps[length - 1] ?? 1) : (steps[known - 1] ?? 1) + (length - known) * more;
}
/** Chinese characters of many common words, which tokenizers merge with their neighbors. Other characters cost more. */
export const COMMON_HAN: ReadonlySet<number> = new Set(
  Array.from(
    [
      '一丁七万三上下不与专世业东个中丰为主久么义之乐九也买了争事二于云五亚些交产京人亿什今代以件价任份众优',
      '会传位住体何作你例保信俺值假做停偷像元先克免党入全公六共关其内册冠准出分划创利别到制刷前力办加务动助',
      '势包化北区医十午华卓单南博卡历原去县参友双发取变口另只可台号司合同名后吗告员周命和品哪商啪器四回国图',
      '在地场址型城基堂士处备复外多夜大天太央奇奖女好如妇妻始姐委娱婷子字存学安完官定宝实客家容富对导小少尼',
      '局展属山州工市布师常幕平年幸广庆应度建开式强当录彩影律得微心必快态怎思性总息情想意感戏成我战户所手打',
      '扫技投报拍招持指据排接推提播收改放政教数整文料斯新方施旗无日早时明易星是時更最月有服期本机权来极林果',
      '查标样格案棋模次欢欧款正此比毛民水求江河治法注洲活流测海消深清港游源满点热然爱爽片版牌物特狠王玩环现',
      '球理生用申电男画留登白百的皇盈益监目直相看真知码破确碰示社神票福种科秘称程空站竞第等算管米类精系红级',
      '线组经结给统续综编网置美群老者联肖育胆能腾自至色苹草荐菜菲营蕉虎行表装西要观规视解计认讯记论设证评试',
      '话说请读调财责账购费资赌赛赢超足路车软载输过运近返这进送选透通速道邀那部都里重量金钱银链锋长間门间阳',
      '际限院除集霸青靠面韩音页预领频题首香马验骗高黄黑龙',
    ].join(''),
    (character) => character.charCodeAt(0),
  ),
);
