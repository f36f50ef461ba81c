// Compiled once for each instruction set, like kernels.cpp. No standard library here.
#include "csrc/simd/rollouts.hpp"

#include "csrc/simd/lanes.hpp"
#include "csrc/simd/operators.hpp"
#include "csrc/simd/residue.hpp"

#define PREFRONTAL_JOIN_(a, b) a##b
#define PREFRONTAL_JOIN(a, b) PREFRONTAL_JOIN_(a, b)

#if defined(__GNUC__)
#define PREFRONTAL_APART [[gnu::noinline]]
#else
#define PREFRONTAL_APART
#endif

namespace prefrontal::simd {
namespace {

PREFRONTAL_INLINE Layer layer_of(const Affine& from) {
  return {from.weight, from.inputs, from.inputs, from.units, from.bias};
}

template <int B, bool Relu>
PREFRONTAL_APART void layer(const Affine& from, const float* x, float* y) {
  dense<B, Relu>(layer_of(from), x, y);
}

// y += W x + b
template <int B>
PREFRONTAL_APART void added_layer(const Affine& from, const float* x, float* y) {
  over_units<B>(layer_of(from), x, Product{}, [&](int i, const v16(&sum)[B]) {
    for (int b = 0; b < B; ++b) {
      float* at = y + (i * B + b) * kLanes;
      store(load(at) + sum[b], at);
    }
  });
}

template <int B>
PREFRONTAL_APART void residue(const StateResidue& from, const float* world, float* sums) {
  v16 out[B];
  residue_of<B>(from, world, out);
  for (int b = 0; b < B; ++b) store(load(sums + b * kLanes) + out[b], sums + b * kLanes);
}

// Up to 16 B rows on their way through the steps, side by side.
template <int B>
struct alignas(64) Group {
  static constexpr int kRows = B * kLanes;
  float self[kMostNumbers * kRows];   // state, then the code of the action
  float world[kMostNumbers * kRows];  // state, then the action or its code
  float action[kMostNumbers * kRows];
  float object[kMostNumbers * kRows];
  float hidden[2][kMostHidden * kRows];
  float scores[kRows];
  int count;

  // `width` numbers of each row, `stride` apart, to side by side; lanes without a row are 0.
  void take(const float* rows, long stride, int width, float* x) const {
    if (count < kRows)
      for (int at = 0; at < width * kRows; ++at) x[at] = 0.0f;
    for (int r = 0; r < count; ++r)
      for (int j = 0; j < width; ++j) x[j * kRows + r] = rows[r * stride + j];
  }

  void give(const float* x, int width, float* rows, long stride) const {
    for (int r = 0; r < count; ++r)
      for (int j = 0; j < width; ++j) rows[r * stride + j] = x[j * kRows + r];
  }

  void copy(const float* from, int width, float* to) const {
    for (int at = 0; at < width * kRows; at += kLanes) store(load(from + at), to + at);
  }

  void draw(const Draws& draws, int t, const float* noise, long stride) {
    const int width = draws.decoder[0].inputs;
    take(noise, stride, width, object);
    for (int i = 0; i < width; ++i) {
      const v16 mean = splat(draws.mean[t * width + i]);
      const v16 std = splat(draws.std[t * width + i]);
      for (int b = 0; b < B; ++b) {
        float* at = object + (i * B + b) * kLanes;
        store(mean + std * load(at), at);
      }
    }
    layer<B, true>(draws.decoder[0], object, hidden[0]);
    layer<B, false>(draws.decoder[1], hidden[0], action);
  }

  // Of the action in the world as they are now.
  void find_object(const E2Layers& e2, const float* bias, long bias_stride) {
    copy(action, e2.world_action.inputs, world + e2.world[1].units * kRows);
    layer<B, true>(e2.object[0], world, hidden[0]);
    if (bias) {
      take(bias, bias_stride, e2.object[1].units, object);
      added_layer<B>(e2.object[1], hidden[0], object);
    } else {
      layer<B, false>(e2.object[1], hidden[0], object);
    }
  }

  void move_self(const E2Layers& e2) {
    layer<B, false>(e2.self_action, action, self + e2.self[2].units * kRows);
    layer<B, true>(e2.self[0], self, hidden[0]);
    layer<B, true>(e2.self[1], hidden[0], hidden[1]);
    added_layer<B>(e2.self[2], hidden[1], self);
  }

  void move_world(const E2Layers& e2) {
    layer<B, false>(e2.world_action, action, world + e2.world[1].units * kRows);
    layer<B, true>(e2.world[0], world, hidden[0]);
    added_layer<B>(e2.world[1], hidden[0], world);
  }
};

template <int B>
struct Rolling {
  const E2Layers& e2;
  const RolloutRows& io;
  Group<B>& group;
  long first;

  void start() const {
    if (io.states)
      group.take(io.z_self + first * io.self_stride, io.self_stride, e2.self[2].units, group.self);
    group.take(io.z_world + first * io.world_stride, io.world_stride, e2.world[1].units,
               group.world);
    for (float& sum : group.scores) sum = 0.0f;
    arrive(0);
  }

  // Writes down the states before step t.
  void arrive(int t) const {
    const long steps = io.steps + 1;
    const int self = e2.self[2].units;
    const int world = e2.world[1].units;
    if (io.states) {
      group.give(group.self, self, io.states + (first * steps + t) * self, steps * self);
    }
    group.give(group.world, world, io.world_states + (first * steps + t) * world, steps * world);
    if (io.residue) residue<B>(*io.residue, group.world, group.scores);
  }

  void act(int t) const {
    const int width = e2.world_action.inputs;
    const long stride = static_cast<long>(io.steps) * width;
    const long place = first * stride + t * width;
    if (!io.draws) return group.take(io.given + place, stride, width, group.action);
    const int objects = io.draws->decoder[0].inputs;
    const long apart = static_cast<long>(io.steps) * objects;
    group.draw(*io.draws, t, io.draws->noise + first * apart + t * objects, apart);
    group.give(group.action, width, io.actions + place, stride);
  }

  void step(int t) const {
    act(t);
    if (io.objects) {
      const int width = e2.object[1].units;
      const long stride = static_cast<long>(io.steps) * width;
      group.find_object(e2, io.bias ? io.bias + first * io.bias_stride : nullptr, io.bias_stride);
      group.give(group.object, width, io.objects + first * stride + t * width, stride);
    }
    if (io.states) group.move_self(e2);
    group.move_world(e2);
    arrive(t + 1);
  }
};

template <int B>
PREFRONTAL_APART void roll_group(const E2Layers& e2, const RolloutRows& io, int first) {
  Group<B> group;
  const int left = io.rows - first;
  group.count = left < Group<B>::kRows ? left : Group<B>::kRows;
  const Rolling<B> rolling = {e2, io, group, first};
  rolling.start();
  for (int t = 0; t < io.steps; ++t) rolling.step(t);
  for (int r = 0; io.residue && r < group.count; ++r) io.scores[first + r] = group.scores[r];
}

void roll(const E2Layers& e2, const RolloutRows& io) {
  int row = 0;
  for (; io.rows - row > kLanes * (kMostBlocks - 1); row += kLanes * kMostBlocks)
    roll_group<kMostBlocks>(e2, io, row);
  if (row < io.rows) roll_group<1>(e2, io, row);
}

// Chosen rows at all their steps, one after the other.
template <int B>
PREFRONTAL_APART void objects_of_group(const E2Layers& e2, const ChosenRows& chosen, int first) {
  Group<B> group;
  const RolloutRows& io = *chosen.from;
  const int world = e2.world[1].units;
  const int action = e2.world_action.inputs;
  const int left = chosen.count * io.steps - first;
  const int count = left < Group<B>::kRows ? left : Group<B>::kRows;
  float worlds[Group<B>::kRows * kMostNumbers];
  float actions[Group<B>::kRows * kMostNumbers];
  for (int r = 0; r < count; ++r) {
    const long row = chosen.rows[(first + r) / io.steps];
    const int t = (first + r) % io.steps;
    const float* w = io.world_states + (row * (io.steps + 1) + t) * world;
    const float* a = io.actions + (row * io.steps + t) * action;
    for (int j = 0; j < world; ++j) worlds[r * world + j] = w[j];
    for (int j = 0; j < action; ++j) actions[r * action + j] = a[j];
  }
  group.count = count;
  group.take(worlds, world, world, group.world);
  group.take(actions, action, action, group.action);
  group.find_object(e2, io.bias, 0);
  const int width = e2.object[1].units;
  group.give(group.object, width, chosen.objects + static_cast<long>(first) * width, width);
}

void objects(const E2Layers& e2, const ChosenRows& chosen) {
  const int rows = chosen.count * chosen.from->steps;
  int row = 0;
  for (; rows - row > kLanes * (kMostBlocks - 1); row += kLanes * kMostBlocks)
    objects_of_group<kMostBlocks>(e2, chosen, row);
  if (row < rows) objects_of_group<1>(e2, chosen, row);
}

}  // namespace

extern const RolloutKernels PREFRONTAL_JOIN(rollouts_, PREFRONTAL_ISA) = {roll, objects};

}  // namespace prefrontal::simd
