from hypothesis import given
from hypothesis import strategies as st

from seekread.ports import Entry
from seekread.state.packing import pack, unpack

PAGE = Entry("page", b"some text that is worth keeping " * 20, 1_793_500_000.25, 1_793_500_060.5)


@given(st.text(), st.binary(max_size=2000), st.floats(0, 4e9), st.none() | st.floats(0, 4e9))
def test_what_is_packed_comes_back(key: str, value: bytes, written_at: float, expires_at: float | None) -> None:
    entry = Entry(key, value, written_at, expires_at)
    assert unpack(key, pack(entry)) == entry


def test_a_single_flipped_bit_is_noticed_wherever_it_is() -> None:
    packed = pack(PAGE)
    for place in range(len(packed) * 8):
        torn = bytearray(packed)
        torn[place // 8] ^= 1 << place % 8
        assert unpack("page", bytes(torn)) is None


def test_a_value_cut_short_is_noticed() -> None:
    packed = pack(PAGE)
    assert all(unpack("page", packed[:length]) is None for length in range(len(packed)))


def test_a_value_under_another_key_is_not_believed() -> None:
    assert unpack("other", pack(PAGE)) is None


def test_long_values_are_compressed_and_short_ones_are_not() -> None:
    long = Entry("page", b"text " * 10_000, 0.0, None)
    assert len(pack(long)) < len(long.value) / 2
    assert unpack("page", pack(long)) == long
    assert PAGE.value in pack(PAGE)
