"""The plain twin with bodies of balls: every pair of balls of different bodies, one at a time.

Motion is written from the formulas with rotation matrices in the lab; it calls nothing of granum.
A ball's contact feels the mass of its body, and for slip the inertia of a sphere of that mass.
"""

import math

import numpy as np
from engine_twin import Twin
from scipy.spatial.transform import Rotation


def cayley(axis, angle):
    """The turn that approximates one by ``angle``: tan of its quarter is a quarter of that."""
    return Rotation.from_rotvec(np.eye(3)[axis] * 4.0 * math.atan(angle / 4.0)).as_matrix()


class ClumpTwin(Twin):
    """Bodies; ``x``, ``v``, ``w``, ``r`` and ``m`` are those of their balls.

    Args:
        state: arrays of the bodies: position, velocity, spin, orientation, mass, inertia.
        arms: for each body (k,4) places of its balls in its frame, and radii.
        rest: as for the twin of spheres.
    """

    def __init__(self, state, arms, *rest):
        self.place, self.speed, self.spin, self.mass, self.moments = (
            np.array(state[k]) for k in ("position", "velocity", "spin", "mass", "inertia"))
        self.R = [Rotation.from_quat(q, scalar_first=True).as_matrix()
                  for q in state["orientation"]]
        self.arms = [np.array(arm) for arm in arms]
        self.body = np.repeat(np.arange(len(arms)), [len(arm) for arm in arms])
        radius = np.concatenate([arm[:, 3] for arm in self.arms])
        mass = self.mass[self.body]
        count = len(radius)
        balls = {"position": np.zeros((count, 3)), "velocity": np.zeros((count, 3)),
                 "spin": np.zeros((count, 3)), "orientation": np.zeros((count, 4)),
                 "radius": radius, "mass": mass,
                 "inertia": np.repeat((0.4 * mass * radius**2)[:, None], 3, axis=1)}
        super().__init__(balls, *rest)

    def set_balls(self):
        """Put the balls where their bodies have them."""
        self.lever = np.concatenate([arm[:, :3] @ R.T
                                     for arm, R in zip(self.arms, self.R, strict=True)])
        self.x = self.place[self.body] + self.lever
        for axis, length in enumerate(self.period):
            if length is not None:
                self.x[:, axis] %= length
        self.w = self.spin[self.body]
        self.v = self.speed[self.body] + np.cross(self.w, self.lever)

    def tensor(self, k):
        """Tensor of inertia of a body in the lab."""
        return self.R[k] @ np.diag(self.moments[k]) @ self.R[k].T

    def contacts(self):
        """Contacts of balls of different bodies, and with planes."""
        for found in super().contacts():
            i, j = found[:2]
            if isinstance(j, str) or self.body[i] != self.body[j]:
                yield found

    def accelerations(self, past, ahead):
        """Accelerations of the bodies, and the torques on them."""
        self.set_balls()
        force, torque = np.zeros_like(self.place), np.zeros_like(self.place)
        springs = {}
        for i, j, normal, overlap in self.contacts():
            f, arm_i, arm_j, springs[i, j] = self.contact(
                i, j, normal, overlap, past, ahead, past + ahead)
            force[self.body[i]] += f
            torque[self.body[i]] += np.cross(self.lever[i] + arm_i * normal, f)
            if not isinstance(j, str):
                force[self.body[j]] -= f
                torque[self.body[j]] += np.cross(self.lever[j] - arm_j * normal, -f)
        self.springs = springs
        return force / self.mass[:, None] + self.gravity(self.steps * self.dt), torque

    def step(self):
        """Kick, free flight and free turn, kick; forces at the predicted velocities."""
        dt = self.dt
        self.place = self.place + dt * self.speed + 0.5 * dt**2 * self.a
        for axis, length in enumerate(self.period):
            if length is not None:
                self.place[:, axis] %= length
        self.speed = self.speed + dt * self.a
        momentum = [self.tensor(k) @ self.spin[k] for k in range(len(self.mass))]
        for k, half in enumerate(momentum):
            self.turn_freely(k, half + 0.5 * dt * self.b[k])
            self.spin[k] = np.linalg.solve(self.tensor(k), half + dt * self.b[k])
        self.steps += 1
        before = self.a, self.b
        self.a, self.b = self.accelerations(0.5 * dt, 0.5 * dt)
        self.speed = self.speed + 0.5 * dt * (self.a - before[0])
        for k in range(len(self.mass)):
            self.spin[k] += np.linalg.solve(self.tensor(k), 0.5 * dt * (self.b[k] - before[1][k]))

    def turn_freely(self, k, momentum):
        """About the principal axes one after the other and back; the angular momentum stays.

        A sphere has no axes of its own: it turns about its spin.
        """
        if len(self.arms[k]) == 1:
            spin = momentum / self.moments[k]
            speed = np.linalg.norm(spin)
            angle = 4.0 * math.atan(speed * self.dt / 4.0)
            self.R[k] = Rotation.from_rotvec(angle / speed * spin).as_matrix() @ self.R[k]
            return
        for axis, share in ((0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)):
            rate = (self.R[k].T @ momentum)[axis] / self.moments[k, axis]
            self.R[k] = self.R[k] @ cayley(axis, share * self.dt * rate)
