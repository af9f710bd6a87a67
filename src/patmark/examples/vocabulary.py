"""A technical vocabulary in English, Chinese and Japanese, for invented patents."""

from __future__ import annotations

from typing import NamedTuple


class TrilingualTerm(NamedTuple):
    """One notion in three languages."""

    en: str
    zh: str
    ja: str


class Domain(NamedTuple):
    """A field of technology: its IPC subclass and the parts that its inventions are made of."""

    subclass: str
    device: TrilingualTerm
    parts: tuple[TrilingualTerm, ...]


def _words(table: str) -> tuple[TrilingualTerm, ...]:
    """Return words of a table: one per line, languages divided by bars."""
    return tuple(
        TrilingualTerm(*map(str.strip, line.split("|"))) for line in table.strip().splitlines()
    )


def _domain(subclass: str, table: str) -> Domain:
    device, *parts = _words(table)
    return Domain(subclass, device, tuple(parts))


DOMAINS = (
    _domain("H01L", """
        semiconductor device | 半导体装置 | 半導体装置
        gate electrode | 栅电极 | ゲート電極
        source region | 源区 | ソース領域
        drain region | 漏区 | ドレイン領域
        insulating film | 绝缘膜 | 絶縁膜
        substrate | 衬底 | 基板
        wiring layer | 布线层 | 配線層
        contact hole | 接触孔 | コンタクトホール
        channel layer | 沟道层 | チャネル層
        wafer | 晶圆 | ウエハ"""),
    _domain("H01M", """
        secondary battery | 二次电池 | 二次電池
        positive electrode | 正极 | 正極
        negative electrode | 负极 | 負極
        separator | 隔膜 | セパレータ
        electrolyte solution | 电解液 | 電解液
        current collector | 集流体 | 集電体
        active material | 活性物质 | 活物質
        battery can | 电池壳 | 電池缶
        sealing gasket | 密封垫 | 封口ガスケット
        lead tab | 极耳 | リードタブ"""),
    _domain("F16H", """
        gear transmission | 齿轮变速器 | 歯車変速機
        planetary gear | 行星齿轮 | 遊星歯車
        sun gear | 太阳轮 | 太陽歯車
        ring gear | 齿圈 | リングギヤ
        input shaft | 输入轴 | 入力軸
        output shaft | 输出轴 | 出力軸
        clutch plate | 离合器片 | クラッチ板
        bearing | 轴承 | 軸受
        lubricating oil | 润滑油 | 潤滑油
        housing | 壳体 | ハウジング"""),
    _domain("G06F", """
        information processing apparatus | 信息处理装置 | 情報処理装置
        memory controller | 存储控制器 | メモリコントローラ
        cache line | 缓存行 | キャッシュライン
        processor core | 处理器核 | プロセッサコア
        address table | 地址表 | アドレステーブル
        input interface | 输入接口 | 入力インタフェース
        storage unit | 存储单元 | 記憶部
        display unit | 显示单元 | 表示部
        bus arbiter | 总线仲裁器 | バスアービタ
        instruction queue | 指令队列 | 命令キュー"""),
    _domain("A61B", """
        endoscope | 内窥镜 | 内視鏡
        insertion tube | 插入管 | 挿入管
        bending portion | 弯曲部 | 湾曲部
        objective lens | 物镜 | 対物レンズ
        light guide | 导光束 | ライトガイド
        forceps channel | 钳道 | 鉗子チャンネル
        operation handle | 操作手柄 | 操作ハンドル
        image sensor | 图像传感器 | 撮像素子
        puncture needle | 穿刺针 | 穿刺針
        balloon | 球囊 | バルーン"""),
    _domain("B41J", """
        inkjet printer | 喷墨打印机 | インクジェットプリンタ
        ink cartridge | 墨盒 | インクカートリッジ
        print head | 打印头 | 印字ヘッド
        nozzle plate | 喷嘴板 | ノズルプレート
        carriage | 滑架 | キャリッジ
        platen roller | 压印辊 | プラテンローラ
        paper tray | 纸盒 | 給紙トレイ
        piezoelectric element | 压电元件 | 圧電素子
        pressure chamber | 压力室 | 圧力室
        wiping blade | 刮板 | ワイピングブレード"""),
    _domain("C08L", """
        resin composition | 树脂组合物 | 樹脂組成物
        polyester resin | 聚酯树脂 | ポリエステル樹脂
        glass fibre | 玻璃纤维 | ガラス繊維
        flame retardant | 阻燃剂 | 難燃剤
        plasticizer | 增塑剂 | 可塑剤
        crosslinking agent | 交联剂 | 架橋剤
        inorganic filler | 无机填料 | 無機充填剤
        antioxidant | 抗氧化剂 | 酸化防止剤
        block copolymer | 嵌段共聚物 | ブロック共重合体
        catalyst | 催化剂 | 触媒"""),
    _domain("F04B", """
        hydraulic pump | 液压泵 | 油圧ポンプ
        piston | 活塞 | ピストン
        cylinder block | 缸体 | シリンダブロック
        suction valve | 吸入阀 | 吸入弁
        discharge valve | 排出阀 | 吐出弁
        swash plate | 斜盘 | 斜板
        drive motor | 驱动电机 | 駆動モータ
        coil spring | 螺旋弹簧 | コイルばね
        pressure sensor | 压力传感器 | 圧力センサ
        seal ring | 密封圈 | シールリング"""),
)  # fmt: skip

QUALITIES = _words("""
    first | 第一 | 第１の
    second | 第二 | 第２の
    upper | 上部 | 上側の
    lower | 下部 | 下側の
    inner | 内侧 | 内側の
    outer | 外侧 | 外側の
    annular | 环形 | 環状の
    hollow | 中空 | 中空の
    movable | 可动 | 可動の
    fixed | 固定 | 固定された
    elastic | 弹性 | 弾性の
    conductive | 导电 | 導電性の
    transparent | 透明 | 透明な
    porous | 多孔 | 多孔質の
    tapered | 锥形 | テーパ状の
    flexible | 柔性 | 可撓性の
    detachable | 可拆卸 | 着脱可能な
    heat-resistant | 耐热 | 耐熱性の""")

RELATIONS = _words("""
    surrounds | 包围 | 囲む
    supports | 支撑 | 支持する
    covers | 覆盖 | 覆う
    contacts | 接触 | 接触する
    drives | 驱动 | 駆動する
    engages | 卡合 | 係合する
    detects | 检测 | 検出する
    controls | 控制 | 制御する
    cools | 冷却 | 冷却する
    presses | 按压 | 押圧する
    receives | 接收 | 受け入れる
    divides | 分隔 | 仕切る
    connects | 连接 | 接続する
    heats | 加热 | 加熱する""")

PURPOSES = _words("""
    to reduce noise | 以降低噪声 | 騒音を低減するために
    to save energy | 以节约能源 | 省エネルギーのために
    to prevent leakage | 以防止泄漏 | 漏れを防止するために
    to improve accuracy | 以提高精度 | 精度を高めるために
    to extend the service life | 以延长使用寿命 | 寿命を延ばすために
    to lower the cost | 以降低成本 | コストを下げるために
    to simplify assembly | 以简化组装 | 組立を簡単にするために
    to raise the strength | 以提高强度 | 強度を高めるために""")

_SYLLABLES = _words("""
    ba | 巴 | バ
    de | 德 | デ
    fi | 菲 | フィ
    go | 戈 | ゴ
    ka | 卡 | カ
    lo | 洛 | ロ
    me | 梅 | メ
    ni | 尼 | ニ
    po | 波 | ポ
    ra | 拉 | ラ
    su | 苏 | ス
    te | 特 | テ
    vi | 维 | ヴィ
    xa | 萨 | クサ
    zo | 佐 | ゾ
    lu | 卢 | ル
    mo | 莫 | モ
    ta | 塔 | タ
    ri | 里 | リ
    ne | 内 | ネ""")


def coined_word(number: int) -> TrilingualTerm:
    """Return an invented name of a component; another one for each number."""
    digits: list[int] = []
    base = len(_SYLLABLES)
    while number or len(digits) < 3:
        number, digit = divmod(number, base)
        digits.append((digit * 7 + len(digits) * 3) % base)
    chosen = [_SYLLABLES[digit] for digit in digits]
    return TrilingualTerm(*("".join(parts) for parts in zip(*chosen, strict=True)))
